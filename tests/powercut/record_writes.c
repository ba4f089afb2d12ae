/* Records what a program writes below one folder, or makes the disk fail. Preloaded into it (LD_PRELOAD).
 *
 *   RECORD_FOLDER   the folder; whatever is written elsewhere is not touched
 *   RECORD_LOG      where the record goes: appended, in the order in which it happened
 *   FAIL_CALL       "write", "sync" or "any": which calls fail
 *   FAIL_AFTER      how many of them succeed first
 *   FAIL_FOR        how many fail then, before the disk is well again; all of them when it is not given
 *   FAIL_ERRNO      with what the others fail: a number, as ENOSPC is 28
 *
 * An entry: struct entry, then `path_bytes` of path, then `data_bytes` of data. A write and its entry are one step:
 * no other entry comes between them. A sync has two entries, when it begins and when it has succeeded: only what was
 * written before it began is certain to be on the disk.
 *
 * SQLite writes its shared memory (-shm) through a mapping, so it is not recorded, and not needed: readers make it again.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CREATE = 1, WRITE, TRUNCATE, SYNC_BEGINS, SYNC_DONE, UNLINK, RENAME };

struct entry {
    uint32_t what;
    uint32_t path_bytes;
    uint64_t inode;
    uint64_t offset; /* of a write; the new size; which sync */
    uint64_t data_bytes;
};

static pthread_mutex_t step = PTHREAD_MUTEX_INITIALIZER;
static const char *folder;
static size_t folder_bytes;
static int record = -1;
static const char *fail_call;
static long fail_after, fail_for = -1, calls;
static int fail_errno;
static uint64_t syncs;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void)
{
    const char *log = getenv("RECORD_LOG"), *after = getenv("FAIL_AFTER"), *number = getenv("FAIL_ERRNO");
    const char *times = getenv("FAIL_FOR");
    folder = getenv("RECORD_FOLDER");
    folder_bytes = folder ? strlen(folder) : 0;
    if (log)
        record = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    fail_call = getenv("FAIL_CALL");
    fail_after = after ? atol(after) : 0;
    fail_for = times ? atol(times) : -1;
    fail_errno = number ? atoi(number) : EIO;
    syncs = (uint64_t)getpid() << 32;
}

static int is_ours(const char *path)
{
    size_t bytes = strlen(path);
    return folder && strncmp(path, folder, folder_bytes) == 0 &&
           !(bytes > 4 && strcmp(path + bytes - 4, "-shm") == 0);
}

/* The path of an open file, when it is one of ours. */
static int ours(int fd, char path[4096])
{
    char link[64];
    int kept = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t bytes = readlink(link, path, 4095);
    errno = kept;
    if (bytes <= 0)
        return 0;
    path[bytes] = 0;
    return is_ours(path);
}

static void put(const void *data, size_t bytes)
{
    for (const char *at = data; bytes;) {
        long written = syscall(SYS_write, record, at, bytes);
        if (written <= 0)
            abort();
        at += written;
        bytes -= (size_t)written;
    }
}

static void note(uint32_t what, int fd, const char *path, size_t path_bytes, uint64_t offset, const void *data, size_t n)
{
    struct stat about = {0};
    int kept = errno;
    if (record < 0)
        return;
    if (fd >= 0)
        fstat(fd, &about);
    struct entry entry = {what, (uint32_t)path_bytes, about.st_ino, offset, n};
    put(&entry, sizeof entry);
    put(path, path_bytes);
    if (n)
        put(data, n);
    errno = kept;
}

/* Whether this call is to fail. Under `step`. What the program notes of itself in `published` always succeeds. */
static int fails(const char *call, const char *path)
{
    size_t bytes = strlen(path);
    if (bytes > 10 && strcmp(path + bytes - 10, "/published") == 0)
        return 0;
    if (!fail_call || (strcmp(fail_call, "any") != 0 && strcmp(fail_call, call) != 0) || calls++ < fail_after)
        return 0;
    if (fail_for >= 0 && calls > fail_after + fail_for)
        return 0;
    errno = fail_errno;
    return 1;
}

#define WRITES(result, call, offset)                                                                                   \
    char path[4096];                                                                                                   \
    if (!ours(fd, path))                                                                                               \
        return call;                                                                                                   \
    pthread_mutex_lock(&step);                                                                                         \
    result = fails("write", path) ? -1 : call;                                                                               \
    if (result > 0)                                                                                                    \
        note(WRITE, fd, path, strlen(path), (uint64_t)(offset), data, (size_t)result);                                 \
    pthread_mutex_unlock(&step);                                                                                       \
    return result;

ssize_t write(int fd, const void *data, size_t bytes)
{
    ssize_t done;
    WRITES(done, REAL(write)(fd, data, bytes), lseek(fd, 0, SEEK_CUR) - done)
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    ssize_t done;
    WRITES(done, REAL(pwrite)(fd, data, bytes, offset), offset)
}

ssize_t pwrite64(int fd, const void *data, size_t bytes, off64_t offset)
{
    ssize_t done;
    WRITES(done, REAL(pwrite64)(fd, data, bytes, offset), offset)
}

#define TRUNCATES(call)                                                                                                \
    char path[4096];                                                                                                   \
    if (!ours(fd, path))                                                                                               \
        return call;                                                                                                   \
    pthread_mutex_lock(&step);                                                                                         \
    int done = fails("write", path) ? -1 : call;                                                                             \
    if (done == 0)                                                                                                     \
        note(TRUNCATE, fd, path, strlen(path), (uint64_t)size, NULL, 0);                                               \
    pthread_mutex_unlock(&step);                                                                                       \
    return done;

int ftruncate(int fd, off_t size)
{
    TRUNCATES(REAL(ftruncate)(fd, size))
}

int ftruncate64(int fd, off64_t size)
{
    TRUNCATES(REAL(ftruncate64)(fd, size))
}

#define SYNCS(call)                                                                                                    \
    char path[4096];                                                                                                   \
    if (!ours(fd, path))                                                                                               \
        return call;                                                                                                   \
    pthread_mutex_lock(&step);                                                                                         \
    int failing = fails("sync", path);                                                                                       \
    uint64_t number = ++syncs;                                                                                         \
    if (!failing)                                                                                                      \
        note(SYNC_BEGINS, fd, path, strlen(path), number, NULL, 0);                                                    \
    pthread_mutex_unlock(&step);                                                                                       \
    int done = failing ? -1 : call;                                                                                    \
    pthread_mutex_lock(&step);                                                                                         \
    if (done == 0)                                                                                                     \
        note(SYNC_DONE, fd, path, strlen(path), number, NULL, 0);                                                      \
    pthread_mutex_unlock(&step);                                                                                       \
    return done;

int fsync(int fd)
{
    SYNCS(REAL(fsync)(fd))
}

int fdatasync(int fd)
{
    SYNCS(REAL(fdatasync)(fd))
}

static int opened(int fd, const char *name, int flags, int there)
{
    char path[4096];
    if (fd >= 0 && ours(fd, path)) {
        if ((flags & O_CREAT) && !there)
            note(CREATE, fd, path, strlen(path), 0, NULL, 0);
        else if (flags & O_TRUNC)
            note(TRUNCATE, fd, path, strlen(path), 0, NULL, 0);
    }
    (void)name;
    return fd;
}

#define OPENS(call)                                                                                                    \
    mode_t mode = 0;                                                                                                   \
    if (flags & O_CREAT) {                                                                                             \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        mode = va_arg(more, mode_t);                                                                                   \
        va_end(more);                                                                                                  \
    }                                                                                                                  \
    if (!(flags & (O_CREAT | O_TRUNC)) || !is_ours(name))                                                              \
        return call;                                                                                                   \
    pthread_mutex_lock(&step);                                                                                         \
    int kept = errno;                                                                                                  \
    int there = access(name, F_OK) == 0;                                                                               \
    errno = kept;                                                                                                      \
    int fd = !there && fails("write", name) ? -1 : opened(call, name, flags, there);                                         \
    pthread_mutex_unlock(&step);                                                                                       \
    return fd;

int open(const char *name, int flags, ...)
{
    OPENS(REAL(open)(name, flags, mode))
}

int open64(const char *name, int flags, ...)
{
    OPENS(REAL(open64)(name, flags, mode))
}

int unlink(const char *name)
{
    if (!is_ours(name))
        return REAL(unlink)(name);
    pthread_mutex_lock(&step);
    int done = fails("write", name) ? -1 : REAL(unlink)(name);
    if (done == 0)
        note(UNLINK, -1, name, strlen(name), 0, NULL, 0);
    pthread_mutex_unlock(&step);
    return done;
}

int rename(const char *from, const char *to)
{
    if (!is_ours(to))
        return REAL(rename)(from, to);
    pthread_mutex_lock(&step);
    int done = fails("write", to) ? -1 : REAL(rename)(from, to);
    if (done == 0)
        note(RENAME, -1, from, strlen(from), 0, to, strlen(to));
    pthread_mutex_unlock(&step);
    return done;
}

/* A disk that fails says so when it is asked about itself. */
#define ASKS(call)                                                                                                     \
    int done = call;                                                                                                   \
    if (done == 0 && fail_call && fail_for < 0 && calls > fail_after && is_ours(path)) {                                               \
        if (fail_errno == ENOSPC)                                                                                      \
            about->f_bavail = 0;                                                                                       \
        if (fail_errno == EROFS)                                                                                       \
            about->f_flag |= ST_RDONLY;                                                                                \
    }                                                                                                                  \
    return done;

int statvfs(const char *path, struct statvfs *about)
{
    ASKS(REAL(statvfs)(path, about))
}

int statvfs64(const char *path, struct statvfs64 *about)
{
    ASKS(REAL(statvfs64)(path, about))
}

/* A process that ends this way leaves no write without its entry. */
void _exit(int status)
{
    pthread_mutex_lock(&step);
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}
