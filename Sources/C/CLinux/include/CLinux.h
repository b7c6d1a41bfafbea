// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CLINUX_H
#define VIGIL_CLINUX_H

#include <stddef.h>
#include <stdint.h>

/// The number of arguments that this process was started with, its name included, 0 or more; captured before `main` by a constructor.
///
/// Swift's `CommandLine` reads `/proc/self/cmdline`; in a chroot, an initramfs or a sandbox without `/proc` it comes back empty, and a program that
/// picks its role from its arguments would start in the wrong role. glibc hands constructors the real `argc` and `argv`, so these are right
/// everywhere. The pointers stay valid for the life of the process.
int vigil_argument_count(void);
/// Argument `index`, from 0 (the program's name), ending with a zero byte; NULL for any other number. The caller must not free it.
const char *vigil_argument(int index);

// Bluetooth sockets. Swift imports neither the address family nor the ioctl numbers (computed macros), and the headers
// belong to libbluetooth, which nothing else here needs. All return a negative errno when they fail.

/// Takes adapter `index` (N of hciN) down, as `hciconfig hciN down` does: the exclusive channel is refused while it is up. Needs CAP_NET_ADMIN. 0
/// or a negative errno: -ENODEV when there is no such adapter.
int vigil_hci_down(uint16_t index);
/// A socket that has adapter `index` for itself (HCI_CHANNEL_USER): non-blocking, closed on exec, the caller's to close. Needs CAP_NET_ADMIN, and
/// an adapter that is down. A descriptor, or a negative errno: -ENODEV when there is no such adapter, -EBUSY when it is up.
int vigil_hci_open_user_channel(uint16_t index);
/// Whether `descriptor` is a socket on the exclusive channel of an adapter: 1; 0 for any other socket; a negative errno when it is no socket.
int vigil_hci_is_user_channel(int descriptor);

// Serial lines. Arbitrary speeds need termios2, whose header excludes <termios.h>.

/// Claims the line for this process: exclusive flag and lock. 0 or a negative errno: -EBUSY when another process holds the lock or the kernel
/// drives the line itself (any line discipline but the ordinary one); -ENOTTY when it is no serial line.
int vigil_serial_claim(int descriptor);
/// Makes the line raw: 8 bits, no parity, one stop bit. A read gives what has come, and waits for one byte only where the descriptor waits. `baud`
/// 0 keeps speed and flow control as they are; anything else, in bits per second, sets the speed, and RTS/CTS unless the driver refuses that.
/// Stores the speed in bits per second that the driver says it set. 0 or a negative errno.
int vigil_serial_make_raw(int descriptor, uint32_t baud, uint32_t *ret_baud);
/// Throws away what waits to be read and what waits to be sent. 0 or a negative errno.
int vigil_serial_discard(int descriptor);

/// What the kernel says about its own clock, unchanged (adjtimex(2) without setting anything).
struct vigil_kernel_clock {
    /// What adjtimex returned: TIME_OK … TIME_ERROR.
    int state;
    /// STA_ bits (linux/timex.h); STA_UNSYNC while nobody keeps the clock right.
    int status;
    /// How far the clock may be off at most, in microseconds, as the program that sets it told the kernel.
    int64_t maximum_error;
    /// CLOCK_REALTIME at that moment, in nanoseconds since 1970.
    int64_t time;
};
/// Stores what the kernel says of its clock. 0 or a negative errno.
int vigil_kernel_clock_read(struct vigil_kernel_clock *ret);

/// Unmaps the pages of code and constants that are in memory now, of the program and its libraries, and gives back the heap's pages that
/// nothing is in. Code that is needed again comes back from the page cache; what only the start needed (reading arguments and
/// profiles) does not. Of mapped files, nothing that can have been written is touched. Takes well below a millisecond.
void vigil_release_pages(void);

/// Blocks SIGTERM, SIGINT and SIGHUP, and makes them readable from the returned descriptor, which never waits and is closed on exec; ignores
/// SIGPIPE. To be called before any thread is started: threads inherit it, and so do programs that do not undo it. A negative errno on failure,
/// with SIGPIPE ignored all the same.
int vigil_signal_descriptor(void);
/// The number of the next signal, without waiting; 0 when there is none or reading failed.
int vigil_signal_take(int descriptor);

// Programs that are started to handle foreign bytes, and what confines them.

/// What a started program gets; it gets nothing else.
struct vigil_spawn_request {
    /// Absolute path of the program.
    const char *program;
    /// Ends with NULL; the first is the program's name.
    const char *const *arguments;
    /// Become its descriptors 0 and 1; 2 is /dev/null, and there is no other.
    int input, output;
    /// Most bytes of address space: all of the program's memory, its code included.
    uint64_t address_space;
    /// Seconds of processor time after which the kernel ends it; 1 or more, unchecked.
    uint64_t cpu_seconds;
};
/// A program that was started.
struct vigil_child {
    /// The number of the process.
    int process;
    /// Readable once the child ended (pidfd), closed on exec, the caller's to close; -1 when the kernel has none.
    int descriptor;
};
/// Starts a program with two descriptors, an empty environment, "/" as its folder, no way to new privileges, low priority, its own limits (no core
/// dump, no bytes into files, no further process or descriptor to speak of), in a session of its own; it is killed when the calling thread ends.
/// Returns once the program runs: 0, or a negative errno when it cannot be started; then nothing is stored, and no child is left. The child must be
/// waited for; the two descriptors stay the caller's to close.
int vigil_spawn(const struct vigil_spawn_request *request, struct vigil_child *ret_child);
/// Kills the child, which must not have been waited for. Does nothing for a child that was never started (`process` is 1 or less): to the
/// system its number would mean "everybody".
void vigil_child_kill(const struct vigil_child *child);

/// A pipe for what a program says, the end for reading first, both the caller's to close: closed on exec, never waiting at the end it is read from,
/// with room for `capacity` bytes if the system grants that, so that the program can run ahead. 0 or a negative errno.
int vigil_result_pipe(int ret_ends[2], int capacity);

/// What the unzip program does before it confines itself: closes everything from descriptor 3 on, no core dump, no bytes into
/// files, not to be traced, and whatever would need a forbidden call later. 0 or a negative errno.
int vigil_prepare_unzip(void);
/// Leaves this process nothing but memory, reading descriptor 0 (at any place, or in sequence), writing descriptor 1, the time and its end; the
/// kernel kills it at any other call but getppid, which fails. `reads_anywhere` is not 0: `pread`, otherwise `read`. Proves that the filter is in
/// force before it returns 0; a negative errno when the kernel cannot do it: -ENOTSUP on another architecture than x86-64 and AArch64, -EPROTO when
/// the proof fails.
int vigil_confine_unzip(int reads_anywhere);
/// Confines a child, lets it make forbidden call `index`, and waits for its end: 1 when it was killed for it, 0 when it lived on, -ENOTSUP when
/// there is no filter, -EPROTO when it died of something else, another negative errno when there is no child. Any index without a name, such as -1,
/// makes no forbidden call: 0 then.
int vigil_confine_trial(int index);
/// What forbidden call `index` is, in English words for the log; from 0, NULL for any other number. The caller must not free it.
const char *vigil_confine_trial_name(int index);

/// What this process holds in memory is its own: no core dump, whatever ends it, and no other process of the same user may look. For good,
/// and not for what it starts. 0 or a negative errno.
int vigil_refuse_dumps(void);
/// Whether other processes may look into this one (PR_GET_DUMPABLE): 1 those of the same user, 0 none, 2 only those of root; or a negative errno.
int vigil_is_dumpable(void);

/// Opens a block device around the page cache (`O_DIRECT`) for this process alone (`O_EXCL`): nobody else has it open so, and nothing of it is
/// mounted or in use by the kernel. A descriptor, closed on exec, the caller's to close, or a negative errno: -EBUSY when it is in use.
int vigil_open_medium(const char *path, int is_read_only);

/// Makes a file without a name in `folder` for reading and writing, which is gone with its last descriptor and never gets a name. A descriptor,
/// closed on exec, the caller's to close, or a negative errno: -EOPNOTSUPP when the file system cannot do that.
int vigil_open_nameless(const char *folder);

/// Opens `name` in `folder` for reading, never through a link, without waiting for anybody, closed on exec; from Linux 5.6 on never in another file
/// system (-EXDEV). A descriptor, the caller's to close, or a negative errno: -ELOOP for a link. `name` must hold no slash; not checked.
int vigil_open_beneath(int folder, const char *name);

/// Lets two names in `folder` change places, at once: whoever looks finds one or the other under each. 0 or a negative errno: -ENOENT when one is
/// not there. Not yet durable.
int vigil_exchange(int folder, const char *one, const char *other);

/// Moves `name` of the folder `from` to `fresh` of the folder `to`, in the same file system, and never over anything: -EEXIST when there is
/// something of that name. 0 or a negative errno. Not yet durable.
int vigil_move_to_new(int from, const char *name, int to, const char *fresh);

/// A pair of sockets for messages that are whole or not there (SOCK_SEQPACKET), close-on-exec and without waiting, both the caller's to close. 0 or
/// -errno.
int vigil_control_pair(int ret_ends[2]);

/// Sends one message without waiting, with a copy of `descriptor` beside it unless that is negative. Bytes sent, or -errno: -EAGAIN when there is
/// no room, -EPIPE when the other end is closed.
long vigil_control_send(int socket, const void *bytes, size_t count, int descriptor);

/// Receives one message without waiting, and the one descriptor beside it (-1 for none; closed on exec, the caller's to close). Returns its bytes,
/// 0 at the end and for an empty message, or -errno: -EAGAIN when there is none, -EMSGSIZE for a message that does not fit or came with more than
/// one descriptor: it is gone, and so are they.
long vigil_control_receive(int socket, void *bytes, size_t count, int *ret_descriptor);

/// Receives at most `count` bytes without waiting from a socket to which somebody may have handed descriptors. Bytes, 0 at the end, or -errno:
/// -EAGAIN when there is nothing; -EBADMSG when some lie beside the next bytes, which stay where they are, for ``vigil_close_aside``; -EMSGSIZE for
/// a packet that does not fit, which is gone. `is_closed_to_descriptors` is not 0 when the kernel sees to it that there are none.
long vigil_receive_plain(int socket, void *bytes, size_t count, int is_closed_to_descriptors);

/// Closes a descriptor on a thread of its own, made when it is first needed: whoever hands it over does not wait, however long its end takes. What
/// waits for others in its end is hurried every 20 ms, by SIGRTMAX-1, whose handler is replaced. Without a thread, when none can be made, it is
/// closed here, and may wait. Cannot fail.
void vigil_close_aside(int descriptor);

/// The number of descriptors that are being closed on that thread, or wait for it; 0 or more.
int vigil_closing_count(void);

/// The number of bytes that the kernel's name of a folder's key has (FSCRYPT_KEY_IDENTIFIER_SIZE).
enum { VIGIL_FOLDER_KEY_NAME = 16 };

/// Gives the file system of `folder` a key of `count` bytes, 16 to 64, that opens the folders encrypted by it, and stores what the kernel calls the
/// key, VIGIL_FOLDER_KEY_NAME bytes. 0 or -errno: -EINVAL for another count, -ENOTTY or -EOPNOTSUPP where nothing is encrypted there.
int vigil_folder_key_add(int folder, const uint8_t *key, size_t count, uint8_t *ret_name);
/// Has the file system of `folder` forget the key of that name (VIGIL_FOLDER_KEY_NAME bytes), as far as this user has given it. 0, also when it
/// does not know it and when files that are open keep it in use, or -errno.
int vigil_folder_key_remove(int folder, const uint8_t *name);
/// Has everything in `folder`, which is empty, encrypted by the key of that name (VIGIL_FOLDER_KEY_NAME bytes), for as long as the folder exists:
/// contents by AES-256-XTS, names by AES-256-CTS. 0 or -errno: -ENOTEMPTY when something is in it, -EEXIST when it is encrypted otherwise.
int vigil_folder_encrypt(int folder, const uint8_t *name);
/// Stores the name (VIGIL_FOLDER_KEY_NAME bytes) of the key that `folder` is encrypted by. 0 or -errno: -ENODATA when it is not encrypted, -EINVAL
/// when it is, by a policy of another version than 2, -ENOTTY or -EOPNOTSUPP when it cannot be.
int vigil_folder_encryption(int folder, uint8_t *ret_name);

/// Puts a tmpfs of `size` bytes and at most 4,096 files over `folder` (mode 0711, without programs and devices), or gives the one that is there
/// that size. What is mounted in it later reaches the copies of it that others have in mount namespaces of their own. 0 or -errno: -ENAMETOOLONG
/// for a path of more than 4,092 bytes.
int vigil_mount_spool(const char *folder, uint64_t size);
/// Lets `user` (its number) read what others put into `folder` from now on, if its owner lets the group read it: a default list of rights (acl(5)),
/// where the group's own rights are none. 0 or -errno; -EOPNOTSUPP where the file system has no such lists.
int vigil_share_folder(int folder, uint32_t user);

// Programs that are confined by vigil-jail.

/// What becomes a confined program. Descriptors stay the caller's.
struct vigil_jail_request {
    /// Absolute path of vigil-jail.
    const char *jail;
    /// Its end of the control socket; the plan, to be read from where it stands; where its stderr goes.
    int control, plan, log;
    /// Become descriptors 4 and on of the program; at most 8.
    const int *extra;
    int extra_count;
    /// Not 0: not even tries for a process namespace, to show what is left where the kernel gives none.
    int without_namespaces;
};
/// A confined program that was started.
struct vigil_jail_child {
    /// The number of the process, as the caller sees it.
    int process;
    /// Readable once the child ended (pidfd), closed on exec, the caller's to close.
    int descriptor;
    /// Non-blocking SOCK_SEQPACKET, closed on exec, the caller's to close: the report, then nothing or why the program could not be started, then
    /// the end.
    int report;
};
/// Starts vigil-jail, which confines itself and becomes the program: as process 1 of a process namespace, if need be in a user namespace, if the
/// kernel gives neither then plainly. Returns once vigil-jail runs, without waiting for what it does: 0, or a negative errno (-EINVAL for more than
/// 8 extra descriptors), where what is stored means nothing. The child is killed when the calling thread ends, and must be waited for.
int vigil_jail_start(const struct vigil_jail_request *request, struct vigil_jail_child *ret_child);
/// Kills the child behind a pidfd, and everything it started if it has a process namespace. 0 or a negative errno: -ESRCH when it was waited for
/// already.
int vigil_jail_kill(int process_descriptor);
/// Takes the end of the child, without waiting: 1 when it ended (its status and 0 as the signal, or -1 and the signal), 0 while it runs (nothing is
/// stored), or a negative errno: -ECHILD when it was waited for already.
int vigil_jail_wait(int process_descriptor, int *ret_status, int *ret_signal);
/// A descriptor from which `text` (`length` bytes) is read, from place 0; no file has it. Closed on exec, the caller's to close. Or a negative
/// errno.
int vigil_plan_descriptor(const char *text, uint64_t length);

/// The next packet of the report, without waiting: its size in bytes, 0 at the end, -EAGAIN when there is none, another negative errno; -EMSGSIZE
/// when it is larger than `size` or came with more than 2 descriptors: it is gone, and so are they. Stores the descriptors that came with it and
/// their number, 0 to 2; they are closed on exec and the caller's to close.
int64_t vigil_jail_receive(int report, char *into, uint64_t size, int ret_descriptors[2], int *ret_count);

/// A call of the system that the filter refused, for authors of programs.
struct vigil_denial {
    /// The thread that made the call, as the caller sees it, and the call's number on this architecture.
    int process, number;
    /// The call's six arguments as they stood in the registers; what the call does not use means nothing.
    uint64_t arguments[6];
};
/// Refuses (EPERM) the next call that waits for an answer, without waiting itself: 1 when there was one, 0 when not (nothing is stored), or a
/// negative errno: -EPIPE when nobody is left who could make one.
int vigil_denial_take(int listener, struct vigil_denial *ret_denial);

/// Sets how a thread (0 is the calling one, the number of a process its first) shares the processors: its niceness, -20 (most) to 19, and for how
/// long at most it wants to run at a time, in nanoseconds (0.1 to 100 ms; 0 is the kernel's own). Who asks for little is served sooner (EEVDF,
/// Linux 6.12; older kernels do the niceness only). 0 or a negative errno.
int vigil_set_urgency(int process, int niceness, uint64_t slice);

/// What a user may have and has on a file system whose kernel counts it, in bytes and in files (folders and links among them). As a limit 0
/// means no limit.
struct vigil_disk_quota {
    uint64_t byte_limit, file_limit, byte_count, file_count;
};
/// Sets the limits of a user on the file system that an open folder lies on; beyond them writing is refused (EDQUOT). Bytes are rounded
/// down to KiB. quotactl_fd(2): Linux 5.14, CAP_SYS_ADMIN. 0 or a negative errno: -ENOSYS when that file system or the kernel counts
/// nothing, -ESRCH when it counts and refuses nobody.
int vigil_disk_quota_set(int folder, uint32_t user, uint64_t bytes, uint64_t files);
/// Stores the limits of a user and what the user has there. 0, or a negative errno as ``vigil_disk_quota_set``; then nothing is stored.
int vigil_disk_quota_get(int folder, uint32_t user, struct vigil_disk_quota *ret_quota);

/// An alarm for folders (inotify), close-on-exec and never waiting; a descriptor, the caller's to close, or a negative errno.
int vigil_folder_alarm(void);
/// Has the alarm become readable once, when something in the folder is written, made or moved there; not through a link. After that the folder must
/// be watched anew. 0 or a negative errno: -ENOTDIR for what is no folder.
int vigil_folder_alarm_watch(int alarm, const char *folder);
/// Takes what was said, all of it, so that the alarm is no longer readable. Cannot fail.
void vigil_folder_alarm_take(int alarm);

#endif
