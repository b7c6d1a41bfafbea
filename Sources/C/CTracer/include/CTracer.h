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
    /// The thread; of VIGIL_TRACER_ENDED the process.
    pid_t thread;
    /// Of the call; VIGIL_TRACER_ENTRY only.
    uint64_t number, arguments[6];
    /// Of the call; VIGIL_TRACER_EXIT only.
    int64_t result;
    /// As waitpid(2) has it; VIGIL_TRACER_ENDED only.
    int status;
};

/// Starts a program with descriptors 0 to 3 and the environment as they are here, everything else closed, and follows it from its first
/// instruction. Gives its number, or a negative errno. It is killed when the caller ends.
pid_t vigil_tracer_start(const char *program, char *const arguments[]);

/// Starts a program that is not followed, in `environment`: descriptors 0 and 1 are /dev/null, 2 is `log`, 3 is `control` unless that is
/// negative, everything else is closed. Gives its number, or a negative errno. It is killed when the calling thread ends.
pid_t vigil_tracer_spawn(const char *program, char *const arguments[], char *const environment[], int control, int log);

/// Waits for the next stop of any thread. The thread stays where it is until vigil_tracer_resume(). 0, or a negative errno.
int vigil_tracer_next(pid_t process, struct vigil_tracer_stop *ret_stop);

/// Lets the thread go on to its next stop. 0, or a negative errno; ESRCH when it is gone.
int vigil_tracer_resume(pid_t thread);

/// Kills the process, whatever its threads are at: a call that has not begun is never made. Waits for its end, and for that of every
/// process it had started, which become children of the caller. 0, 1 when one of these lives on after `limit` milliseconds, or a negative
/// errno.
int vigil_tracer_kill(pid_t process, int limit);

/// Accepts a connection that processes started meanwhile do not get; -1 when there is none.
int vigil_tracer_accept(int listener);

/// What the call does to the world outside of the process; NULL when nothing, or nothing that matters here.
const char *vigil_tracer_name(uint64_t number);

/// Copies at most `count` bytes from the process's memory; how many there were, or a negative errno.
int vigil_tracer_read(pid_t process, uint64_t address, void *ret_bytes, int count);
