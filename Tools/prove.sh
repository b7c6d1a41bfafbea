#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the proofs. Usage: prove.sh FOLDER-WITH-EXECUTABLES short|long
#
# The real signed files of other projects are used when a collection lies beside the checkout; it is said when it does not.
set -eu

bin=$1
case $2 in
    short) cases=100000 cuts=15000 days=1 board_cuts=2000 ledger_cuts=1500 people=12 people_days=3 service_kills=400
        generator=60 sync_stops=4000 sync_kills=30 core_kills=6 venue_kills=40 donation_cuts=40 warnings=20 sources=3 identities=300 captures=20000 fleet=120 fleet_faults=no board_every=60 registry_every=60 ;;
    long) cases=2000000 cuts=500000 days=7 board_cuts=15000 ledger_cuts=20000 people=50 people_days=14 service_kills=5200
        generator=14400 sync_stops=100000 sync_kills=1500 core_kills=150 venue_kills=1000 donation_cuts=1000 warnings=1 sources=1 identities=10000 captures=1000000 fleet=10000 fleet_faults='' board_every=600 registry_every=600 ;;
    *) echo "prove.sh: say short or long" >&2; exit 2 ;;
esac
folder=$(mktemp -d "${TMPDIR:-/tmp}/vigil-prove.XXXXXX")
trap 'rm -rf "$folder"' EXIT INT TERM

echo "Random encounters: the fast matcher against the plain reference"
"$bin/vigil-lab" prove matching --cases "$cases"

echo "Messages to random identities: opened by the right key, and by nothing else"
"$bin/vigil-lab" prove identity-encryption --rounds "$identities"

echo "Captures changed at random: read or refused, and heard by a board; CAPTURE_SEED says where to begin"
"$bin/vigil-lab" prove captures --count "$captures" --seed "${CAPTURE_SEED:-1}"

echo "The vault under power cuts and kills"
"$bin/vigil-lab" prove vault --cuts "$cuts"

echo "The ledger under power cuts and kills"
"$bin/vigil-lab" prove ledger --cuts "$ledger_cuts"

echo "Whole boards for days: killed, cut off, set and troubled, judged by what is on air"
"$bin/vigil-lab" prove rotation --days "$days"

echo "Whole boards cut at random operations"
"$bin/vigil-lab" prove board-cuts --cuts "$board_cuts"

echo "People with boards for days: what they find against where they were"
"$bin/vigil-lab" simulate "$(dirname "$0")/../docs/examples/fortnight.json" --people "$people" --days "$people_days"

echo "A dinner, a bus ride and a corridor, judged by every model; other rules and revocations"
rules=$(dirname "$0")/../docs/examples/rules
"$bin/vigil-lab" prove risk "$rules/../three-encounters.json" --rules "$rules"/*.json "$rules/1-cwa-second.json"

echo "What infected people state and authorities publish, and what those they met are told: the table of Tests/Vectors/warnings"
warnings_table="$(dirname "$0")/../Tests/Vectors/warnings/warnings.json"
"$bin/vigil-lab" prove warnings --share "$warnings" --only statements --only publications --only revisions --only scenes \
    "$warnings_table"

echo "Boards that follow several authorities, each with its own keys, rules and files: sources.json beside that table"
"$bin/vigil-lab" prove warnings --share "$sources" --only sources "$warnings_table"

echo "A core on real files, killed before and after each of its steps"
"$bin/vigil-lab" prove kills

echo "Consents, files of keys, own keys, reset and migration on real files, killed at every step"
"$bin/vigil-lab" prove exposure-service --kills "$service_kills" --store "$(dirname "$0")/../Tests/Vectors/store-0.2.0"

echo "Donations: board, issuer and donation server killed in every state; DONATION_SEED says where to begin"
"$bin/vigil-lab" prove donation-kills --cuts "$donation_cuts" --seed "${DONATION_SEED:-1}"

echo "A fleet enrols and renews, boards and registry killed at any of their writes; FLEET_SEED says where to begin"
"$bin/vigil-lab" prove fleet --boards "$fleet" --board-every "$board_every" --registry-every "$registry_every" ${fleet_faults:+--without-faults} \
    --seed "${FLEET_SEED:-1}"

echo "Weeks of sync in virtual time, stopped at random effects among faults"
"$bin/vigil-lab" prove sync --stops "$sync_stops"

if [ -x "$bin/vigil-plugins" ]; then
    echo "The sync process killed before and after its steps, beside a real core and a real server"
    "$bin/vigil-lab" prove sync-kills --kills "$sync_kills" --core-kills "$core_kills"

    echo "Power cuts while somebody checks in, is warned, and warns: the real plugin on a disk that forgets; VENUE_SEED says where to begin"
    "$bin/vigil-lab" prove venue-kills --kills "$venue_kills" --seed "${VENUE_SEED:-1}"
else
    echo "vigil-plugins is absent in $bin: its kills are left out."
fi

if [ "$(id -u)" = 0 ] && [ -x "$bin/vigil-hostile" ]; then
    echo "System calls at random by a plugin in its jail; GENERATOR_RECORD names a file that says where to go on"
    "$(dirname "$0")/hostile-generator.py" "$bin" --seconds "$generator" --record "${GENERATOR_RECORD:-$folder/generator}"
else
    echo "vigil-hostile is absent in $bin, or this is not root: system calls at random are left out."
fi

echo "A file of ours: every bit flipped, every cut made"
"$bin/vigil" export keygen --private-key "$folder/key.pem" --public-key "$folder/pub.pem"
{
    echo "key,rolling_start,rolling_period,transmission_risk,report_type,days_since_onset"
    for n in 1 2 3 4 5 6 7 8 9; do echo "0000000000000000000000000000000$n,2650032,14$((n % 5)),$n,1,$((n - 5))" | sed 's/,9,1/,8,1/'; done
} >"$folder/keys.csv"
"$bin/vigil" export create --keys "$folder/keys.csv" --signing-key "$folder/key.pem" --key-name 1-v1 --region XX --start 1 \
    --end 2 --output "$folder/keys.zip"
"$bin/vigil-lab" prove flips "$folder/keys.zip" --verify "1-v1=$folder/pub.pem"
"$bin/vigil-lab" prove cuts "$folder/keys.zip" --verify "1-v1=$folder/pub.pem"

samples=../shared/vectors/gaen/export
if [ ! -d "$samples" ]; then
    echo "The sample files of other projects are absent; their part is left out."
    exit 0
fi
pem() { printf -- '-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n' "$1" >"$folder/$2"; }
pem "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEml59itec9qzwVojreLXdPNRsUWzfYHc1cKvIIi6/H56AJS/kZEYQnfDpxrgyGhdAm+pNN2GAJ3XdnQZ1Sk4amg==" ens.pem
pem "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE49JY6kekDgxj3Crm4y6kEHdfoKQFSNDM4mV9cgDb+e5nOAw0GeRoRThCu9/wX5wDT2QloFoOjl2pGZHI0f3C3w==" google.pem
echo "The server project's example file (135 bytes of keys)"
"$bin/vigil-lab" prove flips "$samples/ens_example.zip" --verify "some_id-1=$folder/ens.pem"
"$bin/vigil-lab" prove cuts "$samples/ens_example.zip" --verify "some_id-1=$folder/ens.pem"
echo "The framework's sample file (3,854 bytes of keys)"
if [ "$2" = long ]; then
    "$bin/vigil-lab" prove flips "$samples/internals_sample.zip" --verify "310-v1=$folder/google.pem"
fi
"$bin/vigil-lab" prove cuts "$samples/internals_sample.zip" --verify "310-v1=$folder/google.pem"
