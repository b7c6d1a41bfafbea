// SPDX-License-Identifier: Apache-2.0
// What the parts of vigil-jail share: the plan it is given and the report it makes. One process, one thread, one pass:
// everything lives in static memory.
#ifndef VIGIL_JAIL_H
#define VIGIL_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Descriptors at the start, agreed with CLinux/jail_spawn.c.
enum { CONTROL = 3, PLAN = 4, REPORT = 5, FIRST_EXTRA = 6 };
// Where the extra ones are for the program, and from where on the jail keeps its own.
enum { PROGRAM_EXTRA = 4, OWN_DESCRIPTORS = 64 };
enum {
    PLAN_SIZE = 32768,
    REPORT_SIZE = 16384,
    MOST_BINDS = 48,
    MOST_WORDS = 64,
    MOST_CGROUPS = 4,
    MOST_GROUPS = 8,
    MOST_LIMITS = 8,
    MOST_EXTRA = 8,
};

// Exit statuses before the program runs; afterwards the status is the program's.
enum { STATUS_PLAN = 120, STATUS_REFUSED = 121, STATUS_EXEC = 122, STATUS_REPORT = 123 };

enum profile { PROFILE_PLUGIN, PROFILE_CORE, PROFILE_EGRESS, PROFILE_NONE };
enum network { NETWORK_NONE, NETWORK_PRIVATE, NETWORK_HOST };
enum denials { DENIALS_SILENT, DENIALS_LOG, DENIALS_KILL, DENIALS_NOTIFY };

// ACCESS_SPOOLS is ACCESS_WRITE, and what the supervisor mounts in there later is there too.
enum access { ACCESS_PROGRAMS, ACCESS_READ, ACCESS_WRITE, ACCESS_SPOOLS, ACCESS_DEVICE };

struct bind {
    enum access access;
    const char *source, *target;
    // The source's copy as a mount of its own, and what the source is; -1 until opened, and for links.
    int tree;
    mode_t mode;
    bool is_optional;
    // Of a device: what it must be, whatever stands at the path by now.
    bool has_number;
    dev_t number;
};

struct limit {
    const char *name;
    int resource;
    uint64_t value;
};

struct cgroup {
    const char *controller, *folder;
};

struct plan {
    const char *name, *program;
    const char *state, *spool, *run, *socks_outside;
    enum profile profile;
    enum network network;
    enum denials denials;
    unsigned socks_port;
    bool has_user, is_probe, has_oom, has_niceness;
    uid_t user;
    gid_t group;
    gid_t groups[MOST_GROUPS];
    int oom, niceness;
    int extra_count;
    int bind_count, limit_count, cgroup_count, group_count, required_count, argument_count, environment_count;
    struct bind binds[MOST_BINDS];
    struct limit limits[MOST_LIMITS];
    struct cgroup cgroups[MOST_CGROUPS];
    const char *required[MOST_WORDS];
    // One more for the NULL at the end, and for what the jail itself adds to the environment.
    const char *arguments[MOST_WORDS + 1];
    const char *environment[MOST_WORDS + 9];
};

extern struct plan plan;

// What was reached, for the stages that follow.
struct situation {
    // In force, each from its stage on.
    bool has_pid_namespace, has_user_namespace, has_view, has_network, has_own_user, has_own_memory_rule;
    // What /proc shows inside; NULL when there is none.
    const char *process_files;
    int report, socks_listener, denial_listener;
};
extern struct situation situation;

// plan.c: NULL, or what is wrong with the plan at PLAN, which is closed.
const char *plan_read(void);

// report.c
enum state { STATE_VERIFIED, STATE_APPLIED, STATE_MISSING, STATE_FAILED };
// One line of the report. `level` may be "-"; `reason` is a format.
void report(const char *name, const char *level, enum state state, const char *reason, ...)
    __attribute__((format(printf, 4, 5)));
// What errno would say, in words, without the locale.
const char *because(int error);
// Sends the listeners, before there is a limit of open files, and closes them here.
void send_listeners(void);
// Sends the report; afterwards nothing can be added. False when something required is missing or something does not hold.
bool report_send(void);
void report_refusal(const char *reason);
void report_exec_failure(int error);

// groups.c: before anything else, while the system's folders are in sight.
void join_control_groups(void);
void set_oom_score(void);
void set_niceness(void);
// view.c
void make_view(void);
const char *inside(const char *outside_path);
// view_trial.c
void verify_view(void);
// network.c
void make_network(void);
void verify_network(void);
// identity.c
void set_limits(void);
void verify_limits(void);
void drop_user(void);
void drop_privileges(void);
void verify_identity(void);
// landlock.c
void restrict_with_landlock(void);
// memory.c
void protect_memory(void);
// filter.c
void filter_calls(void);
int explain(const char *what);
// trial.c
int count_filter_holes(const char **ret_first);
void verify_filter(void);
// descriptors.c
bool arrange_descriptors(void);
void verify_descriptors(void);

#endif
