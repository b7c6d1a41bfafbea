// SPDX-License-Identifier: Apache-2.0
// Just enough JSON for the plugin's own settings: the supervisor has checked them, and they are one flat object.
#define _GNU_SOURCE
#include "hostile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[65536];

static const char *blank(const char *at) {
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') at++;
    return at;
}

// Reads the string that begins at `at` and says where it ends.
static const char *string(const char *at, char *into, size_t size) {
    size_t length = 0;
    for (at++; *at != '"' && *at != 0; at++) {
        char letter = *at;
        if (letter == '\\') {
            at++;
            if (*at == 'u' && strlen(at) >= 5) {
                char digits[5] = {at[1], at[2], at[3], at[4], 0};
                letter = (char)strtol(digits, NULL, 16);
                at += 4;
            } else {
                letter = *at == 'n' ? '\n' : *at == 't' ? '\t' : *at;
            }
        }
        if (length + 1 < size) into[length++] = letter;
    }
    if (size > 0) into[length] = 0;
    return *at == '"' ? at + 1 : at;
}

static const char *after_value(const char *at) {
    char ignored[1];
    int depth = 0;
    do {
        at = blank(at);
        if (*at == '"') {
            at = string(at, ignored, sizeof ignored);
        } else if (*at == '[' || *at == '{') {
            depth++;
            at++;
        } else if (*at == ']' || *at == '}') {
            depth--;
            at++;
        } else if (*at != 0) {
            at++;
            while (depth == 0 && strchr(",]} \n\r\t", *at) == NULL) at++;
        }
    } while (depth > 0 && *at != 0);
    return at;
}

static const char *member(const char *name) {
    char key[64];
    const char *at = blank(text);
    if (*at != '{') return NULL;
    for (at = blank(at + 1); *at == '"';) {
        at = blank(string(at, key, sizeof key));
        if (*at == ':') at = blank(at + 1);
        if (strcmp(key, name) == 0) return at;
        at = blank(after_value(at));
        if (*at == ',') at = blank(at + 1);
    }
    return NULL;
}

bool read_settings(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/settings.json", getenv("VIGIL_RUN") == NULL ? "/run/vigil" : getenv("VIGIL_RUN"));
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    size_t length = 0;
    for (ssize_t count; length < sizeof text - 1; length += (size_t)count) {
        count = read(file, text + length, sizeof text - 1 - length);
        if (count <= 0) break;
    }
    close(file);
    text[length] = 0;
    return length > 0;
}

bool setting(const char *name, int index, char *into, size_t size) {
    const char *at = member(name);
    if (at == NULL || *at != '[') return false;
    for (at = blank(at + 1); *at == '"'; at = blank(at + 1)) {
        at = blank(string(at, into, size));
        if (index-- == 0) return true;
        if (*at != ',') break;
    }
    return false;
}

long setting_number(const char *name, long otherwise) {
    const char *at = member(name);
    return at == NULL ? otherwise : strtol(at, NULL, 10);
}
