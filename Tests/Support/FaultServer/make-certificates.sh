#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes, in the folder given, one authority and server keys for "localhost" that are right, expired, not yet valid, for another name, and by
# an authority nobody knows. Takes a second; nothing of it is worth keeping. A second argument, like ",IP:127.0.0.1", is further names for all
# but the one for another name.
set -eu
more="${2:-}"
cd "$1"
cat > ca.cnf <<'CONFIG'
[ca]
default_ca = here
[here]
dir = .
new_certs_dir = .
database = index.txt
serial = serial
default_md = sha256
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical,CA:true
keyUsage = critical,keyCertSign
CONFIG
: > index.txt
echo 1000 > serial
key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key" 2>/dev/null; }
authority() {
    key "$1"
    openssl req -new -x509 -key "$1.key" -subj "/CN=$1" -days 3650 -config ca.cnf -extensions authority -out "$1.pem"
}
# NAME AUTHORITY SAN START END MORE
server() {
    key "$1"
    openssl req -new -key "$1.key" -subj "/CN=$3" -addext "subjectAltName=DNS:$3${6:-}" -config ca.cnf -out "$1.csr"
    openssl ca -batch -notext -config ca.cnf -cert "$2.pem" -keyfile "$2.key" -in "$1.csr" -out "$1.pem" \
        -startdate "$4" -enddate "$5" 2>/dev/null
}
authority authority
authority stranger
server good authority localhost 20200101000000Z 20491231000000Z "$more"
server expired authority localhost 20200101000000Z 20210101000000Z "$more"
server early authority localhost 20480101000000Z 20491231000000Z "$more"
server misnamed authority elsewhere.example 20200101000000Z 20491231000000Z
server unknown stranger localhost 20200101000000Z 20491231000000Z "$more"
# The pins: SHA-256 of the SPKI in Base64.
for name in good stranger; do
    openssl pkey -in $name.key -pubout -outform DER | openssl dgst -sha256 -binary | openssl base64 > $name.pin
done
