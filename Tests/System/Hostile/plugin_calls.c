// SPDX-License-Identifier: Apache-2.0
// What a plugin says to those it may talk to: calls nobody granted it, and names of files that are none of its own.
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool ask(const char *interface, const char *message, char *answer, size_t size) {
    int endpoint = connect_to(interface);
    size_t length = 0;
    answer[0] = 0;
    if (endpoint < 0) return false;
    bool is_whole = false;
    if (say_all(endpoint, message, strlen(message) + 1)) {
        for (ssize_t count; length < size - 1 && !is_whole; length += (size_t)count) {
            count = recv(endpoint, answer + length, size - 1 - length, 0);
            if (count == 0) errno = 0;
            if (count <= 0) break;
            is_whole = answer[length + (size_t)count - 1] == 0;
        }
        answer[length] = 0;
    }
    // What is closed without an answer was no Varlink; what is not answered in time holds the caller up.
    if (!is_whole && length == 0 && errno != EAGAIN) snprintf(answer, size, "\"error\": closed");
    close(endpoint);
    return is_whole;
}

// With parameters that would do: whoever looks at them before the grant would say something else than that it is not granted.
static const struct {
    const char *method, *parameters;
} methods[] = {
    {"org.vigil.exposure1.GetStatus", "{}"},
    {"org.vigil.exposure1.Watch", "{}"},
    {"org.vigil.exposure1.ProvideDiagnosisKeys", "{\"files\":[\"x\"]}"},
    {"org.vigil.exposure1.GetExposureWindows", "{}"},
    {"org.vigil.exposure1.GetDailySummaries", "{}"},
    {"org.vigil.exposure1.GetExposureSummary", "{}"},
    {"org.vigil.exposure1.GetExposureInformation", "{}"},
    {"org.vigil.exposure1.GetDiagnosisKeysDataMapping", "{}"},
    {"org.vigil.exposure1.SetDiagnosisKeysDataMapping", "{}"},
    {"org.vigil.device1.Enable", "{}"},
    {"org.vigil.device1.Disable", "{}"},
    {"org.vigil.device1.GiveConsent", "{}"},
    {"org.vigil.device1.SetRole", "{}"},
    {"org.vigil.device1.GetRadio", "{}"},
    {"org.vigil.device1.GetEvidence", "{}"},
    {"org.vigil.device1.GetTime", "{}"},
    {"org.vigil.device1.SetTime", "{\"time\":0}"},
    {"org.vigil.device1.GetAudit", "{}"},
    {"org.vigil.device1.GetStorage", "{}"},
    {"org.vigil.device1.ExportMyData", "{}"},
    {"org.vigil.device1.WritePairingFile", "{}"},
    {"org.vigil.device1.ReadPairingFile", "{}"},
    {"org.vigil.device1.GetPaired", "{}"},
    {"org.vigil.device1.ForgetPaired", "{}"},
    {"org.vigil.device1.Reset", "{}"},
    {"org.vigil.release1.TakeDiagnosisKeys", "{}"},
    {"org.vigil.time1.MakeChallenge", "{}"},
    {"org.vigil.time1.TakeSignedTime", "{}"},
    {"org.vigil.egress1.GetTraffic", "{}"},
    {"org.vigil.egress1.GetEndpoints", "{\"caller\":\"sync\"}"},
    {"org.vigil.sync1.SyncNow", "{}"},
    {"org.vigil.sync1.GetFreshness", "{}"},
    {"org.vigil.sync1.Watch", "{}"},
    {"org.vigil.wake1.GetState", "{}"},
    {"org.vigil.checkin1.GetRegistrationFacts", "{}"},
    {"org.vigil.checkin1.LookForWarnings", "{}"},
    {"org.vigil.checkin1.TakeReports", "{\"levels\":[8],\"most\":32}"},
};

static bool is_granted(const char *method) {
    char granted[128];
    for (int index = 0; setting("granted", index, granted, sizeof granted); index++) {
        if (strcmp(granted, method) == 0) return true;
    }
    return false;
}

static void try_every_method(const char *socket_name) {
    char message[512];
    static char answer[65537];
    for (size_t index = 0; index < sizeof methods / sizeof methods[0]; index++) {
        const char *method = methods[index].method;
        snprintf(message, sizeof message, "{\"method\":\"%s\",\"parameters\":%s}", method, methods[index].parameters);
        bool is_answered = ask(socket_name, message, answer, sizeof answer);
        bool is_denied = is_answered && (strstr(answer, "\"org.varlink.service.PermissionDenied\"") != NULL ||
                                         strstr(answer, "\"org.varlink.service.InterfaceNotFound\"") != NULL);
        if (is_granted(method) && strncmp(method, socket_name, strlen(socket_name)) == 0) {
            tell("granted %s: %s", method, !is_answered ? "UNANSWERED" : is_denied ? "DENIED" : "answered");
        } else {
            tell("ungranted %s at %s: %s", method, socket_name, is_denied ? "refused (not granted)" : "GAINED");
            if (!is_denied) tell("  it answered: %.200s", answer);
        }
    }
}

// A choice of methods, at every socket there is: the same core behind one of them may do what it may not behind another.
void act_ungranted(void) { each_socket(try_every_method); }

static void provide(const char *what, const char *name) {
    char message[4096], answer[65537];
    snprintf(message, sizeof message,
             "{\"method\":\"org.vigil.exposure1.ProvideDiagnosisKeys\",\"parameters\":{\"files\":[\"%s\"]}}", name);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    bool is_answered = ask("org.vigil.exposure1", message, answer, sizeof answer);
    clock_gettime(CLOCK_MONOTONIC, &after);
    long milliseconds = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
    bool is_error = strstr(answer, "\"error\"") != NULL;
    // Named in an answer, what is behind a link has been read.
    tell("name %s: %s %ld ms", what, is_error ? "refused" : is_answered ? "GAINED" : "UNANSWERED", milliseconds);
    tell("  it answered: %.300s", answer);
}

// Things that are no plain file of its own, under names of all kinds.
void act_spool_names(void) {
    const char *spool = own_folder("VIGIL_SPOOL");
    if (chdir(spool) < 0) return;
    umask(027);
    static char long_name[2000];
    memset(long_name, 'a', sizeof long_name - 1);
    (void)!symlink(given("VAULT"), "link");
    (void)!symlink("/etc/passwd", "link-passwd");
    (void)!symlink("/proc/self/environ", "link-environment");
    (void)!symlink(".", "link-here");
    (void)!symlink("link-loop", "link-loop");
    (void)!mkfifo("fifo", 0640);
    (void)!mkdir("folder", 0750);
    if (link(given("VAULT"), "hard") == 0) tell("hard-link-into-spool: GAINED");
    int sparse = open("sparse", O_CREAT | O_WRONLY | O_CLOEXEC, 0640);
    if (sparse >= 0 && ftruncate(sparse, 1 << 20) == 0) close(sparse);
    int noise = open("noise", O_CREAT | O_WRONLY | O_CLOEXEC, 0640);
    for (unsigned index = 0, value = 1; noise >= 0 && index < 65536; index++) {
        unsigned char byte = (unsigned char)((value = value * 1103515245u + 12345u) >> 16);
        if (write(noise, &byte, 1) != 1) break;
    }
    if (noise >= 0) close(noise);
    int own = open("unreadable", O_CREAT | O_WRONLY | O_CLOEXEC, 0000);
    if (own >= 0) close(own);
    static const char *const names[][2] = {
        {"a link to the vault", "link"}, {"a link to a system file", "link-passwd"}, {"a link to somebody's environment", "link-environment"},
        {"a link to its own folder", "link-here"}, {"a link to itself", "link-loop"}, {"through a link", "link-here/noise"},
        {"a fifo", "fifo"}, {"a folder", "folder"}, {"a hard link", "hard"}, {"sparse zeros", "sparse"}, {"noise", "noise"},
        {"an unreadable file", "unreadable"}, {"nothing", ""}, {"a dot", "."}, {"two dots", ".."}, {"its neighbour", "../sync/x"},
        {"the root", "/"}, {"an absolute path", "/etc/passwd"}, {"the long way round", "../../../../../../etc/passwd"},
        {"a zero byte", "noise\\u0000x"}, {"half a character", "\\ud800"}, {"a newline", "a\\nb"}, {"a long name", long_name},
        {"a file of a process", "/proc/self/fd/0"},
    };
    for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) provide(names[index][0], names[index][1]);
    static const char *const left[] = {"link", "link-passwd", "link-environment", "link-here", "link-loop", "fifo", "hard",
                                       "sparse", "noise", "unreadable"};
    for (size_t index = 0; index < sizeof left / sizeof left[0]; index++) unlink(left[index]);
    rmdir("folder");
}
