// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>
#include <sys/types.h>

// A process followed from one call of the system to the next (ptrace), so that a laboratory can end it exactly before or after any of
// them. All functions belong to the thread that started the process.

/// What a thread of the process is at: before a call, behind it; or the process is no more.
enum vigil_tracer_kind { VIGIL_TRACER_ENTRY, VIGIL_TRACER_EXIT, VIGIL_TRACER_ENDED };

struct vigil_tracer_stop {
    enum vigil_tracer_kind kind;
    /// The number of the thread; of VIGIL_TRACER_ENDED that of what has ended.
    pid_t thread;
    /// The number of the call on this architecture, and its six registers; VIGIL_TRACER_ENTRY only.
    uint64_t number, arguments[6];
    /// What the call returned, a negative errno when it failed; VIGIL_TRACER_EXIT only.
    int64_t result;
    /// The end as waitpid(2) has it; VIGIL_TRACER_ENDED only.
    int status;
};

/// Starts a program with descriptors 0 to 3 and the environment as they are here, everything else closed, and follows it from its first
/// instruction, with all threads it starts. Gives the number of the process, or a negative errno: -ENOEXEC when the program cannot be
/// executed. It is killed when the caller ends. From then on the caller inherits the processes that its children leave behind
/// (PR_SET_CHILD_SUBREAPER).
pid_t vigil_tracer_start(const char *program, char *const arguments[]);

/// As vigil_tracer_start, but the process stops before the calls of vigil_tracer_name that change something (files, folders, what is sent), and
/// nowhere else: it is many times as fast. VIGIL_TRACER_ENTRY may come twice for a call. Let it go on with vigil_tracer_go().
pid_t vigil_tracer_start_at_changes(const char *program, char *const arguments[]);

/// Lets a thread of such a process go on, to the end of its call (VIGIL_TRACER_EXIT; after VIGIL_TRACER_ENTRY once more) or to its next change.
int vigil_tracer_go(pid_t thread, int to_its_end);

/// Starts a program that is not followed, in `environment`: descriptors 0 and 1 are /dev/null, 2 is `log`, 3 is `control` unless that is
/// negative, everything else is closed. Gives the number of the process, without waiting for the program, or a negative errno when there is
/// none; if the program cannot be executed, the process ends with status 127. It is killed when the calling thread ends.
pid_t vigil_tracer_spawn(const char *program, char *const arguments[], char *const environment[], int control, int log);

/// Waits for the next stop of any thread, for as long as it takes; hands signals on to the threads meanwhile, and takes the end of any
/// other child of the caller. With 0 for the process it waits for any that the caller follows, and gives the end of each of their threads and of
/// each other child, too. The thread stays where it is until vigil_tracer_resume(). 0, or a negative errno: -ECHILD when there is
/// nothing to wait for.
int vigil_tracer_next(pid_t process, struct vigil_tracer_stop *ret_stop);

/// Lets the thread go on to its next stop. 0, or a negative errno: -ESRCH when it is gone or does not stand still.
int vigil_tracer_resume(pid_t thread);

/// Kills the process, whatever its threads are at: a call that has not begun is never made. Waits for its end, and for that of every other
/// child of the caller: the processes it had started become such. 0, 1 when one of these lives on after about `limit` milliseconds, or a
/// negative errno.
int vigil_tracer_kill(pid_t process, int limit);

/// Accepts a connection that processes started meanwhile do not get (closed on exec); waits for one if the listener does. A descriptor, the
/// caller's to close; -1 with errno set when there is none.
int vigil_tracer_accept(int listener);

/// A short name such as "write" of call `number` of this architecture, if the call touches files, sockets or processes; one name for
/// variants of a call. NULL for any other number. The caller must not free it.
const char *vigil_tracer_name(uint64_t number);

/// Copies at most `count` bytes from the process's memory; fewer where the memory ends. Gives the number of bytes, or a negative errno:
/// -EFAULT when not even 64 (or `count`, if that is less) can be read there.
int vigil_tracer_read(pid_t process, uint64_t address, void *ret_bytes, int count);
