/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own-malloc: a library to preload, which gives memory in place of the C library. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* Each block is a mapping of its own; before it stand the mapping's begin and length, and the
 * block's length. */
struct header {
	void *mapping;
	size_t mapped, bytes;
	size_t unused; /* so that what follows is aligned to 16 bytes */
};

void *memalign(size_t alignment, size_t bytes)
{
	size_t mapped;
	char *mapping, *block;

	if (alignment < 16)
		alignment = 16;
	mapped = bytes + alignment + sizeof(struct header);
	if (mapped < bytes) {
		errno = ENOMEM;
		return NULL;
	}
	mapping = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mapping == MAP_FAILED)
		return NULL;
	block = (char *)(((uintptr_t)mapping + sizeof(struct header) + alignment - 1) / alignment *
			 alignment);
	((struct header *)block)[-1] =
		(struct header){ .mapping = mapping, .mapped = mapped, .bytes = bytes };
	return block;
}

void *malloc(size_t bytes)
{
	return memalign(16, bytes);
}

void *calloc(size_t n, size_t bytes)
{
	size_t all;

	if (__builtin_mul_overflow(n, bytes, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return malloc(all);
}

void free(void *block)
{
	int before = errno;

	if (block)
		munmap(((struct header *)block)[-1].mapping, ((struct header *)block)[-1].mapped);
	errno = before;
}

void *realloc(void *old, size_t bytes)
{
	void *block = malloc(bytes);
	size_t had;

	if (!block || !old)
		return block;
	had = ((struct header *)old)[-1].bytes;
	memcpy(block, old, had < bytes ? had : bytes);
	free(old);
	return block;
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
	void *block = memalign(alignment, bytes);

	if (!block)
		return ENOMEM;
	*out = block;
	return 0;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	return memalign(alignment, bytes);
}
