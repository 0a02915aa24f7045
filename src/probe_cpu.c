/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe_cpu: how fast the CPU that the calling thread is bound to stores, calls and computes. */
#include "config.h"

#include "probe_cpu.h"

#include "clock.h"
#include "limit.h"
#include "util.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A batch takes some 30 us on a CPU of 4 GHz: so short that most of them fall between two timer
 * interrupts (1 to 10 ms apart) and between two time slices of others (some ms), and so long that
 * the cost of reading the clock is no part of it that matters.
 */
enum {
	STORE_PASSES = 16, /* over the buffer: 2 MiB */
	CALLS = 256,
	SPINS = 32768,
};

/* What each batch does, in the unit of its rate. */
static const double work[CANARY_N_KINDS] = {
	[CANARY_STORES] = (double)STORE_PASSES * PROBE_CPU_BUFFER_BYTES,
	[CANARY_SYSCALLS] = CALLS,
	[CANARY_SPINS] = SPINS,
};

/*
 * What disturbs a batch only ever makes it slower, so the best of many is the one that tells of the
 * CPU. How many are enough shows itself: rounds (a batch of each quantity) go on until none has
 * become better, by more than BETTER, for QUIET_ROUNDS. This also waits for a CPU that was idle to
 * reach its frequency, without which the time before a run would be slower than the one after. The
 * quantities take turns, so that the time slice of somebody else takes a part of each.
 */
static const double BETTER = 0.005;
enum { QUIET_ROUNDS = 24, MIN_ROUNDS = 8 };
static const int64_t most_ns = 20000000; /* but MIN_ROUNDS, however slow the machine */

/* The clock's step may be this part of a batch: that of the drift which is warned of. */
enum { MIN_STEPS = 20 };

unsigned long *probe_cpu_buffer(struct err *err)
{
	size_t bytes = PROBE_CPU_BUFFER_BYTES, page = util_page_size();
	char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (base == MAP_FAILED) {
		err_set(err, errno, "mmap", "%zu bytes to store into", bytes);
		limit_explain_nomem(err, bytes);
		return NULL;
	}
#ifdef MADV_NOHUGEPAGE
	/* A huge page here one time and none the next would be no drift of the machine. */
	(void)madvise(base, bytes, MADV_NOHUGEPAGE);
#endif
	for (size_t i = 0; i < bytes; i += page)
		*(volatile char *)(base + i) = 1;
	return (unsigned long *)(void *)base;
}

/* Each word is stored by itself: volatile keeps compilers from widening or dropping any. */
static void store(unsigned long *buffer)
{
	enum { WORDS = PROBE_CPU_BUFFER_BYTES / sizeof(unsigned long) };

	for (unsigned long pass = 0; pass < STORE_PASSES; pass++) {
		volatile unsigned long *end = buffer + WORDS;

		for (volatile unsigned long *p = buffer; p < end; p += 8) {
			p[0] = pass;
			p[1] = pass;
			p[2] = pass;
			p[3] = pass;
			p[4] = pass;
			p[5] = pass;
			p[6] = pass;
			p[7] = pass;
		}
	}
}

/*
 * Calls that do next to nothing in the kernel, one after the other in an order that is as good as
 * random (xorshift, with Marsaglia's numbers), and goes on from batch to batch. The same call again
 * and again makes the branch predictors settle in one of some states, by what was before, and stay
 * in it: one mispredicted branch more or less, 4 % of the whole, for as long as the loop lasts, and
 * the best of many batches is then the best of one. By syscall(): a C library might remember
 * answers.
 */
static void call(void)
{
	static const long numbers[8] = { SYS_getppid, SYS_getuid,  SYS_getgid,	SYS_getpid,
					 SYS_geteuid, SYS_getegid, SYS_getpgid, SYS_getsid };
	static uint32_t random = 2463534242;

	for (int i = 0; i < CALLS; i++) {
		random ^= random << 13;
		random ^= random >> 17;
		random ^= random << 5;
		syscall(numbers[random % 8], 0);
	}
}

/* Each turn needs the result of the one before, and the compiler has to have it at hand. */
static void spin(void)
{
	unsigned long x = 1;

	for (int i = 0; i < SPINS; i++) {
		x = x * 1103515245UL + 12345UL;
		__asm__ volatile("" : "+r"(x));
	}
}

static int64_t time_batch(enum canary_kind kind, unsigned long *buffer)
{
	int64_t begun = clock_now_ns();

	switch (kind) {
	case CANARY_STORES:
		store(buffer);
		break;
	case CANARY_SYSCALLS:
		call();
		break;
	case CANARY_SPINS:
		spin();
		break;
	case CANARY_N_KINDS:
		break;
	}
	return clock_now_ns() - begun;
}

/* A batch of each quantity; best_ns takes the shortest times so far. Returns whether any is better.
 */
static bool do_round(unsigned long *buffer, int64_t best_ns[CANARY_N_KINDS])
{
	bool better = false;

	for (int kind = 0; kind < CANARY_N_KINDS; kind++) {
		int64_t ns = time_batch((enum canary_kind)kind, buffer);

		if (ns <= 0 || ns >= best_ns[kind])
			continue;
		better |= (double)ns < (double)best_ns[kind] * (1 - BETTER);
		best_ns[kind] = ns;
	}
	return better;
}

void probe_cpu_measure(unsigned long *buffer, int64_t clock_step_ns, double rates[CANARY_N_KINDS])
{
	int64_t best_ns[CANARY_N_KINDS], until_ns = clock_now_ns() + most_ns;

	for (int kind = 0; kind < CANARY_N_KINDS; kind++)
		best_ns[kind] = INT64_MAX;
	for (int round = 0, quiet = 0; quiet < QUIET_ROUNDS; round++) {
		if (round >= MIN_ROUNDS && clock_now_ns() >= until_ns)
			break;
		quiet = do_round(buffer, best_ns) ? 0 : quiet + 1;
	}
	for (int kind = 0; kind < CANARY_N_KINDS; kind++) {
		bool known = best_ns[kind] != INT64_MAX &&
			     best_ns[kind] >= MIN_STEPS * clock_step_ns;

		rates[kind] = known ? work[kind] * 1e9 / (double)best_ns[kind] : NAN;
	}
}
