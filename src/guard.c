/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guard: a process that ends when told to, and with its parent, but never in the middle of
 * something. */
#include "config.h"

#include "guard.h"

#include "util.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/*
 * Threads share their signals: one that is in the middle of something could hold a signal back from
 * itself, but any other would take it and end them all. So the process counts who is, and the last
 * of them ends it.
 */
static int inside;
static int ended_by; /* the signal, once one has come */
static pid_t self, guarded_parent;

static void let_in(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void end_by(int sig)
{
	signal(sig, SIG_DFL);
	let_in(sig);
	raise(sig);
}

/* Either this sees who is inside, or they see this: both write first, then read. */
static void on_end(int sig)
{
	int saved = errno;

	__atomic_store_n(&ended_by, sig, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&inside, __ATOMIC_SEQ_CST))
		end_by(sig);
	errno = saved;
}

static void on_cont(int sig)
{
	(void)sig;
	if (getpid() == self && getppid() != guarded_parent)
		on_end(SIGTERM);
}

void guard_signals(void)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };
	struct sigaction act = { .sa_handler = on_end, .sa_flags = SA_RESTART };

	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &act, NULL);
}

bool guard_parent(pid_t parent)
{
	struct sigaction act = { .sa_handler = on_cont, .sa_flags = SA_RESTART };

	self = getpid();
	guarded_parent = parent;
	sigemptyset(&act.sa_mask);
	sigaction(SIGCONT, &act, NULL);
	let_in(SIGCONT);
	/* KILL could not be held back, and TERM would not come through to a stopped process. */
	prctl(PR_SET_PDEATHSIG, SIGCONT);
	return getppid() == parent;
}

void guard_parent_at_once(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void guard_begin(void)
{
	__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&ended_by, __ATOMIC_SEQ_CST))
		guard_end();
}

void guard_end(void)
{
	int left = __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
	int sig = __atomic_load_n(&ended_by, __ATOMIC_SEQ_CST);

	if (sig && !left)
		end_by(sig);
	while (sig)
		pause(); /* another ends us */
}
