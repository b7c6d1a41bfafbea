// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.checkin1.varlink. Change the text, and generate again.

extension Checkin1 {
    /// The text of `org.vigil.checkin1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# Check-ins at venues. Half of it is the wearer's, on a device of the role `person`: visits, and notices about them. The other half is the host's, on a
# device of the role `place`: the codes at its door. Each half is refused with WrongRole on a device of the other role. What others need to know
# is in GetRegistrationFacts, and no more: never where or when. LookForWarnings tells nothing.
# @server plugin
interface org.vigil.checkin1

# The system that a code belongs to.
type System (coronaWarnApp, swissCovid, nhs)

# One visit of the wearer.
type Visit (
  # The number, from 1 on; never used again.
  number: int,
  # Whose code was scanned.
  system: System,
  # What the code calls the place; fit to be shown.
  name: string,
  # Where the code says that it is, or its postcode; fit to be shown; absent if the code does not say.
  street: ?string,
  # When the wearer came, Unix seconds.
  arrival: int,
  # When the wearer left, Unix seconds; while `open`, when the visit will end by itself.
  departure: int,
  # Whether the wearer is there still, as far as is known.
  open: bool,
  # Whether it is published when the wearer warns others.
  warns: bool,
  # Whether it was published.
  published: bool,
  # From when on the wearer is reminded that it ends by itself, Unix seconds; absent if never, and once it is over.
  remindFrom: ?int,
  # Whether its place is hidden; absent if not. Without the wearer's secret the name is empty then, and of a visit that is over the times are the first and the last
  # second of its UTC days.
  hidden: ?bool
)

# A warning about a visit. No result of matching keys: what the core matched is not in it.
type Notice (
  # The number, from 1 on; never used again.
  number: int,
  # Whose warning it is.
  system: System,
  # The visit; it may have been deleted since.
  visit: int,
  # What the code calls the place; fit to be shown.
  name: string,
  # The day of the meeting: UTC days since 1970.
  day: int,
  # How much it counts, by the authority's rules. unknown: the rules have no answer, which is never a low risk. Absent for systems without levels.
  level: ?(low, increased, unknown),
  # What to do. inform: watch for symptoms. bookATest: have a test made. Absent for systems that do not say.
  advice: ?(inform, bookATest),
  # What the health authority writes to those who were there; fit to be shown; absent if nothing.
  message: ?string,
  # Whether the wearer has not acknowledged it.
  news: bool
)

# One system that this device follows, as far as its wearer's visits go. Nothing is asked of a server while there is no visit of the system.
type Followed (
  # Whose codes can be entered here.
  system: System,
  # When its warnings were last known to be complete, Unix seconds; absent if never, or while there is no visit.
  checked: ?int,
  # The last trouble in an English sentence, with what to do; absent if there is none.
  problem: ?string,
  # Whether a warning about a visit may be missing, because not all were known for two days; false while the time is not known.
  behind: bool
)

# Checks in by the text of a code. Who is there already stays there: the number is that of the open visit. NotPossible at places of SwissCovid while it is not known
# whether they are to be hidden (`choiceLost` of GetVisits).
# @roles wearer
# @results nothing
method CheckIn(
  # The text of the code, as scanned or pasted. At most 4,096 bytes.
  code: string,
  # A random text of 22 to 64 letters, digits, - and _, another one for each check-in. Whoever calls again with the same one and the same code, because the answer was lost, gets
  # the visit that began, while it is open, and no second one. Of use where places are hidden: then it cannot be told whether two codes are of one place. It is not kept.
  # Absent if the caller does not call again.
  attempt: ?string,
  # The proof that the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # The visit.
  visit: Visit,
  # Whether it began now.
  began: bool
)

# Ends a visit, now.
# @roles wearer
# @results nothing
method CheckOut(
  # The visit.
  number: int,
  # The proof that the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # What was changed, as it is now.
  visit: Visit
)

# The visits of the last 14 days, and those that are open. Ask again after the last number while there are more.
# @roles wearer
# @results nothing
method GetVisits(
  # Only visits with a higher number; absent for all.
  after: ?int,
  # The secret that opens hidden visits; absent to leave them hidden. A wrong one is refused (wrongSecret). At most 256 bytes.
  secret: ?string,
  # The proof that the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # In the order in which they were entered. At most 12.
  visits: []Visit,
  # Whether there are more.
  more: bool,
  # Whether new visits to places of SwissCovid are hidden; absent on a device that cannot hide them, for which the operator sets `swissCovidKey`.
  hides: ?bool,
  # How many earlier visits are to be hidden and can still be read on the disk; absent if none. The device hides them by itself.
  unhidden: ?int,
  # Whether the wearer has chosen a secret for hidden places; absent if not.
  hidingIsSet: ?bool,
  # Whether it is not known any more if places are to be hidden, because what was kept was damaged, until SetHiding says so; absent if it is known.
  choiceLost: ?bool
)

# Has the places of SwissCovid's visits hidden, or new ones shown again. The reply comes when the choice is on the disk: from then on new visits are hidden before they are written down.
# Earlier ones are hidden afterwards, which goes on after a power cut; `unhidden` of GetVisits says how many are left. What is hidden stays so until it is
# forgotten: nobody reads it without the wearer's secret, not even who has the disk and all keys of the device.
# @roles wearer
# @results nothing
method SetHiding(
  # Whether new visits are hidden.
  on: bool,
  # The secret that is to open them, 12 to 256 bytes: the one of before, if visits were hidden before. Not needed to switch it off.
  secret: ?string,
  # Whether the secret may be another one than before: then nobody can read what was hidden before. Warnings about it still come.
  anew: ?bool,
  # The proof that the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # How many visits are hidden now.
  hidden: int,
  # How many earlier visits are to be hidden and are not yet; absent if none.
  unhidden: ?int
)

# Changes the times of a visit that is over. A warning that the wearer has agreed to before has the former ones.
# @roles wearer
# @results nothing
method EditVisit(
  # The visit.
  number: int,
  # When the wearer came, Unix seconds.
  arrival: int,
  # When the wearer left, Unix seconds; at most 31 days later, and not in the future.
  departure: int,
  # The secret that opens a hidden visit; one that is not hidden needs none. A hidden one lasts a week at most.
  secret: ?string,
  # The proof that the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # What was changed, as it is now.
  visit: Visit
)

# Deletes a visit at once, and what was noticed about it. A warning that the wearer has agreed to before has it still.
# @roles wearer
# @results nothing
method DeleteVisit(
  # The visit.
  number: int,
  # The proof that the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> ()

# Whether a visit is published when the wearer warns others. It is, unless the wearer says otherwise. A warning that the wearer has agreed to before
# has it as it was then.
# @roles wearer
# @results nothing
method SetWarning(
  # The visit.
  number: int,
  # Whether it is to be published.
  warns: bool,
  # The proof that the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # What was changed, as it is now.
  visit: Visit
)

# Visits as text, for a doctor: comma-separated values (RFC 4180). Ask again after the last number while there are more, and join the parts.
# @roles wearer
# @results nothing
method ExportVisits(
  # Only visits with a higher number; absent for all, and for the line with the names of the columns.
  after: ?int,
  # The secret that opens hidden visits; absent to leave their places and times out. A wrong one is refused (wrongSecret).
  secret: ?string,
  # The proof that the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # Whole lines; nothing about notices.
  text: string,
  # The last number in it, to ask for the next part; absent if this was the last.
  next: ?int
)

# Lists the warnings about visits.
# @roles wearer
# @results nothing
method GetNotices(
  # Only notices with a higher number; absent for all.
  after: ?int,
  # The proof that the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # In the order in which they came. At most 12.
  notices: []Notice,
  # Whether there are more.
  more: bool,
  # The systems that are followed here. At most 3.
  followed: []Followed,
  # Whether any notice was not acknowledged, also one that is not in this part.
  news: bool,
  # Whether earlier visits could not be read and are lost, so that no warning about them comes. Until Acknowledge.
  lost: bool
)

# The wearer has seen all notices up to a number, and that earlier visits are lost: they are no news any more.
# @roles wearer
# @results nothing
method Acknowledge(
  # The last that was seen.
  number: int,
  # The proof that the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> ()

# Whether there is news, and that something has changed: now, and after every change. Ends with NotSignedIn when its proof is good no more, after
# ten minutes: with another one it goes on.
# [Requires 'more' flag]
# @roles wearer
# @results nothing
method Watch(
  # The proof that the wearer is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # Whether there is a notice that was not acknowledged.
  news: bool
)

# What a place is.
type Kind (other, retail, foodService, craft, workplace, education, publicBuilding)

# What an event is.
type EventKind (other, culture, club, privateEvent, worship)

# One code of a place.
type Code (
  # The number, from 1 on; never used again on this device.
  number: int,
  # The system that it belongs to.
  system: System,
  # What it calls the place or the event; fit to be shown.
  name: string,
  # Whether it is shown at the door now. ended: its event is over. revoked: another one took its place.
  state: (coming, shown, ended, revoked),
  # Whether it was made here; otherwise it was imported.
  own: bool,
  # When its event begins, Unix seconds; absent for a code without an event.
  begins: ?int,
  # When its event ends, Unix seconds; absent for a code without an event.
  ends: ?int
)

# A place at whose door a code hangs: a room, a bus.
type Place (
  # The number, from 1 on; never used again.
  number: int,
  # What its codes call it; fit to be shown.
  name: string,
  # Where it is; fit to be shown.
  street: string,
  # The kind of it, of those that codes know.
  kind: Kind,
  # Minutes after which a visitor is usually gone.
  stayMinutes: int,
  # At most 16.
  codes: []Code
)

# Whose code is chosen to be broadcast at the door, and when. Whether it is on air now, org.vigil.device1.GetRadio says (`door`).
type Broadcasting (
  # The place.
  number: int,
  # When it begins: minutes of the UTC day, 0 to 1,439; absent if the whole day.
  opens: ?int,
  # When it ends: minutes of the UTC day, 0 to 1,439; absent if the whole day. Before `opens` it is on the next day.
  closes: ?int
)

# Lists the places of this device, 16 at most. Ask again after the last number while there are more.
# @roles technicianReadOnly technician
# @results nothing
method GetPlaces(
  # Only places with a higher number; absent for all.
  after: ?int,
  # The proof that a technician is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # In the order in which they were described, as many as fit a message. At most 16.
  places: []Place,
  # Whether there are more.
  more: bool,
  # Systems whose codes can be made here. At most 3.
  makes: []System,
  # Systems whose codes can be imported. At most 3.
  imports: []System,
  # The place whose codes the screen at the door shows; absent if none.
  screen: ?int,
  # The place whose code is chosen to be broadcast at the door; absent if none.
  broadcast: ?Broadcasting
)

# Describes a place, and makes a code for it where that is possible. A code says what was described when it was made: after a change there is a new
# one, the old one is revoked, and posters have to be printed anew.
# @roles technician
# @results nothing
method Describe(
  # The place; absent for a new one.
  number: ?int,
  # One line, 1 to 255 characters.
  name: string,
  # Street and town, in one line of 1 to 255 characters.
  street: string,
  # The kind of it, of those that codes know.
  kind: Kind,
  # Minutes after which a visitor is usually gone, 15 to 1,425.
  stayMinutes: int,
  # The proof that a technician is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # What was changed, as it is now.
  place: Place
)

# Forgets a place and all its codes.
# @roles technician
# @results nothing
method ForgetPlace(
  # The place.
  number: int,
  # The proof that a technician is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> ()

# Makes a code for an event at a place. It is shown from the beginning of the event to its end.
# @roles technician
# @results nothing
method Start(
  # The place.
  number: int,
  # What the event is called: one line, 1 to 255 characters; absent for the place's name.
  name: ?string,
  # The kind of it, of those that codes know.
  kind: EventKind,
  # When it begins, Unix seconds; absent for an event that begins at once.
  begins: ?int,
  # When it ends, Unix seconds; at most 31 days after it begins.
  ends: int,
  # The proof that a technician is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # The code.
  code: Code
)

# Ends an event before its time: its code is not shown any more. Who scanned it stays checked in as long as the code says.
# @roles technician
# @results nothing
method End(
  # The event's code.
  number: int,
  # The proof that a technician is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # What was changed, as it is now.
  code: Code
)

# Takes in a code that was made elsewhere, after it was verified: those of the NHS, which nobody else can make, and those of SwissCovid.
# @roles technician
# @results nothing
method ImportCode(
  # The place.
  number: int,
  # The text of the code, as scanned or pasted. At most 4,096 bytes.
  code: string,
  # The proof that a technician is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # The code.
  added: Code
)

# Takes a code off the door. A place whose own code is revoked gets a new one with the same words.
# @roles technician
# @results nothing
method Revoke(
  # The code.
  number: int,
  # The proof that a technician is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # The place, as it is now.
  place: Place
)

# What is printed on a poster: of one code, which anybody at the door may read.
# @roles technicianReadOnly technician
# @results nothing
method GetPoster(
  # The code.
  number: int,
  # The proof that a technician is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> (
  # The code.
  code: Code,
  # The text to be drawn as a QR code. It was read back by the rules for visitors.
  text: string,
  # Where the place is; fit to be shown.
  street: ?string,
  # What the place is called, where an event has a name of its own; fit to be shown. Absent otherwise.
  place: ?string
)

# Chooses the place whose codes a screen at the door shows, or none.
# @roles technician
# @results nothing
method SetScreen(
  # The place; absent to switch the screen off.
  number: ?int,
  # To switch it off only for this place: refused with NotPossible if it shows another one meanwhile. Absent for whichever; only without `number`.
  former: ?int,
  # The proof that a technician is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> ()

# Chooses the place whose code is broadcast for tokens, and in which hours, or none. It is the code that a screen of this place would show. Whoever is near can
# receive it, as whoever is at the door can read the poster. Refused if the hours are none, or the code is too long for a broadcast.
# @roles technician
# @results nothing
method SetBroadcast(
  # The place; absent to broadcast nothing.
  number: ?int,
  # To end the broadcast only of this place: refused with NotPossible if another one is chosen meanwhile. Absent for whichever; only without `number`.
  former: ?int,
  # When it begins each day: minutes of the UTC day, 0 to 1,439; absent for the whole day.
  opens: ?int,
  # When it ends: minutes of the UTC day, 0 to 1,439, other than `opens`; absent for the whole day. Before `opens` it is on the next day.
  closes: ?int,
  # The proof that a technician is signed in (org.vigil.access1.MakeProof, for this method). The console needs none.
  proof: ?string
) -> ()

# What a screen at the door shows, and a poster beside it would: anybody may read it, and nothing else of the device is in it. Of several codes that are
# at the door the one is shown whose event began last; without an event the newest one that was made here, else the newest that was imported.
# NotPossible while the time is not known, and Refused for a code that cannot be read back: then there may be a code at the door that is not shown.
# @roles nobody wearer technicianReadOnly technician
# @results nothing
# @fleet
method GetScreen() -> (
  # Whether a place was chosen for it.
  isOn: bool,
  # The code that is shown now; absent if no code is at the door: nobody need check in.
  code: ?Code,
  # The text to be drawn as a QR code; absent without a code. It was read back by the rules for visitors.
  text: ?string,
  # Where the place is; fit to be shown.
  street: ?string
)

# Makes reports of the visits that the wearer lets be published, for a warning to which the wearer has agreed: sealed for whoever has the code of the
# place, and in random order. The authority's rules say which visits count, and how long. A visit that was published is not in it again, and one that is in
# a batch not until org.vigil.diagnosis1.GetPublished says that the batch is over. That is asked first; if it is not known which batches went out, or are
# over, the call is refused with NotPossible. Refused with Refused for a name that a batch has already.
# @roles none
# @results nothing
method TakeReports(
  # The wearer's levels of transmission risk, 1 to 8, by the age of the day: the first is today's. At most 15.
  levels: []int,
  # How many reports there is room for, 0 to 32. If there are more, the latest are given.
  most: int,
  # That the wearer has agreed: it comes with the keys (org.vigil.release1.TakeDiagnosisKeys), for this method. The console needs none.
  proof: ?string,
  # What these visits are to be called from now on, 1 to 9,007,199,254,740,991: random, and never used before. Without it the plugin takes one.
  batch: ?int
) -> (
  # CheckInProtectedReport of the Corona-Warn-App, 104 bytes each, in Base64. At most 32.
  reports: []string,
  # How many visits they are of; a visit that goes on over midnight (UTC) has several.
  visits: int,
  # What these visits are called from now on, 1 to 9,007,199,254,740,991; absent without reports.
  batch: ?int
)

# What decides whether pushes are of use (docs/wake.md).
# @roles none
# @results nothing
method GetRegistrationFacts() -> (
  # Whether there is any check-in that is still kept.
  hasCheckIns: bool,
  # Always false: what follows from it, the end of a connection, would show that the wearer has warned others.
  inIsolation: bool
)

# Has warnings about visits looked for soon, and not only in the rhythm of two hours: somebody has heard that there is something new (docs/wake.md). A look
# that is asked for less than fifteen minutes after the last one comes then. The reply comes when the wish is on the disk, and is the same with visits and
# without; without them no server is asked. While the time is not known, and in a place, nothing comes of it.
# @roles none
# @results nothing
# @fleet
method LookForWarnings() -> ()

# What was entered breaks a rule.
error Refused (
  # A stable word for programs.
  rule: string,
  # Why, in an English sentence, with what to do; nothing of what was entered is in it.
  reason: string
)

# There is no visit, notice, place or code of that number.
error NoSuchNumber ()

# What is asked for is not possible now.
error NotPossible (
  # Why, in an English sentence, with what to do.
  reason: string
)

# The device stands for a place and has no visits, or for a person and has no codes of its own.
error WrongRole (
  # Why, in an English sentence, with what to do.
  reason: string
)

# No proof that the wearer is signed in came with the call, or none that is good for it.
error NotSignedIn ()

"""#

    /// The methods of `org.vigil.checkin1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// Checks in by the text of a code. Who is there already stays there: the number is that of the open visit. NotPossible at places of SwissCovid while it is not known
        /// whether they are to be hidden (`choiceLost` of GetVisits).
        case checkIn = "CheckIn"
        /// Ends a visit, now.
        case checkOut = "CheckOut"
        /// The visits of the last 14 days, and those that are open. Ask again after the last number while there are more.
        case getVisits = "GetVisits"
        /// Has the places of SwissCovid's visits hidden, or new ones shown again. The reply comes when the choice is on the disk: from then on new visits are hidden before they are written down.
        /// Earlier ones are hidden afterwards, which goes on after a power cut; `unhidden` of GetVisits says how many are left. What is hidden stays so until it is
        /// forgotten: nobody reads it without the wearer's secret, not even who has the disk and all keys of the device.
        case setHiding = "SetHiding"
        /// Changes the times of a visit that is over. A warning that the wearer has agreed to before has the former ones.
        case editVisit = "EditVisit"
        /// Deletes a visit at once, and what was noticed about it. A warning that the wearer has agreed to before has it still.
        case deleteVisit = "DeleteVisit"
        /// Whether a visit is published when the wearer warns others. It is, unless the wearer says otherwise. A warning that the wearer has agreed to before
        /// has it as it was then.
        case setWarning = "SetWarning"
        /// Visits as text, for a doctor: comma-separated values (RFC 4180). Ask again after the last number while there are more, and join the parts.
        case exportVisits = "ExportVisits"
        /// Lists the warnings about visits.
        case getNotices = "GetNotices"
        /// The wearer has seen all notices up to a number, and that earlier visits are lost: they are no news any more.
        case acknowledge = "Acknowledge"
        /// Whether there is news, and that something has changed: now, and after every change. Ends with NotSignedIn when its proof is good no more, after
        /// ten minutes: with another one it goes on.
        case watch = "Watch"
        /// Lists the places of this device, 16 at most. Ask again after the last number while there are more.
        case getPlaces = "GetPlaces"
        /// Describes a place, and makes a code for it where that is possible. A code says what was described when it was made: after a change there is a new
        /// one, the old one is revoked, and posters have to be printed anew.
        case describe = "Describe"
        /// Forgets a place and all its codes.
        case forgetPlace = "ForgetPlace"
        /// Makes a code for an event at a place. It is shown from the beginning of the event to its end.
        case start = "Start"
        /// Ends an event before its time: its code is not shown any more. Who scanned it stays checked in as long as the code says.
        case end = "End"
        /// Takes in a code that was made elsewhere, after it was verified: those of the NHS, which nobody else can make, and those of SwissCovid.
        case importCode = "ImportCode"
        /// Takes a code off the door. A place whose own code is revoked gets a new one with the same words.
        case revoke = "Revoke"
        /// What is printed on a poster: of one code, which anybody at the door may read.
        case getPoster = "GetPoster"
        /// Chooses the place whose codes a screen at the door shows, or none.
        case setScreen = "SetScreen"
        /// Chooses the place whose code is broadcast for tokens, and in which hours, or none. It is the code that a screen of this place would show. Whoever is near can
        /// receive it, as whoever is at the door can read the poster. Refused if the hours are none, or the code is too long for a broadcast.
        case setBroadcast = "SetBroadcast"
        /// What a screen at the door shows, and a poster beside it would: anybody may read it, and nothing else of the device is in it. Of several codes that are
        /// at the door the one is shown whose event began last; without an event the newest one that was made here, else the newest that was imported.
        /// NotPossible while the time is not known, and Refused for a code that cannot be read back: then there may be a code at the door that is not shown.
        case getScreen = "GetScreen"
        /// Makes reports of the visits that the wearer lets be published, for a warning to which the wearer has agreed: sealed for whoever has the code of the
        /// place, and in random order. The authority's rules say which visits count, and how long. A visit that was published is not in it again, and one that is in
        /// a batch not until org.vigil.diagnosis1.GetPublished says that the batch is over. That is asked first; if it is not known which batches went out, or are
        /// over, the call is refused with NotPossible. Refused with Refused for a name that a batch has already.
        case takeReports = "TakeReports"
        /// What decides whether pushes are of use (docs/wake.md).
        case getRegistrationFacts = "GetRegistrationFacts"
        /// Has warnings about visits looked for soon, and not only in the rhythm of two hours: somebody has heard that there is something new (docs/wake.md). A look
        /// that is asked for less than fifteen minutes after the last one comes then. The reply comes when the wish is on the disk, and is the same with visits and
        /// without; without them no server is asked. While the time is not known, and in a place, nothing comes of it.
        case lookForWarnings = "LookForWarnings"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.checkin1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .checkIn: Law([.wearer], .nothing)
            case .checkOut: Law([.wearer], .nothing)
            case .getVisits: Law([.wearer], .nothing)
            case .setHiding: Law([.wearer], .nothing)
            case .editVisit: Law([.wearer], .nothing)
            case .deleteVisit: Law([.wearer], .nothing)
            case .setWarning: Law([.wearer], .nothing)
            case .exportVisits: Law([.wearer], .nothing)
            case .getNotices: Law([.wearer], .nothing)
            case .acknowledge: Law([.wearer], .nothing)
            case .watch: Law([.wearer], .nothing)
            case .getPlaces: Law([.technicianReadOnly, .technician], .nothing)
            case .describe: Law([.technician], .nothing)
            case .forgetPlace: Law([.technician], .nothing)
            case .start: Law([.technician], .nothing)
            case .end: Law([.technician], .nothing)
            case .importCode: Law([.technician], .nothing)
            case .revoke: Law([.technician], .nothing)
            case .getPoster: Law([.technicianReadOnly, .technician], .nothing)
            case .setScreen: Law([.technician], .nothing)
            case .setBroadcast: Law([.technician], .nothing)
            case .getScreen: Law([.nobody, .wearer, .technicianReadOnly, .technician], .nothing, isForFleets: true)
            case .takeReports: Law([], .nothing)
            case .getRegistrationFacts: Law([], .nothing)
            case .lookForWarnings: Law([], .nothing, isForFleets: true)
            }
        }
    }
}
