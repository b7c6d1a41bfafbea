// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.device1.varlink. Change the text, and generate again.

extension Device1 {
    /// The text of `org.vigil.device1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# The device itself, for its wearer or host and its technician: consent, what it really does, its time, its log, its data.
# @server core
interface org.vigil.device1

# Agrees that this device beacons and listens. Recorded, with how the person showed to be present. In a place, which has no wearer, a technician
# does so for its host.
# @roles wearer
# @place technician
# @results nothing
method Enable() -> ()

# Withdraws that agreement: nothing is sent and nothing is listened to from now on. What was heard stays until it is 14 days old or the device
# is reset.
# @roles wearer
# @place technician
# @results nothing
method Disable() -> ()

# What the wearer has chosen beyond taking part. It outlasts restarts, not a reset.
type Preferences (
  # Whether somebody was shown what this device is and does, and has agreed to the terms.
  introduced: bool,
  # Whether the device may draw attention to news by light or sound. News are on the page in any case.
  notifications: bool,
  # The language of pages, like `de` or `de-simple`; absent to let the browser say.
  language: ?string
)

# Tells what the wearer has chosen.
# @roles nobody wearer technicianReadOnly technician
# @results nothing
method GetPreferences() -> (
  # What holds.
  preferences: Preferences
)

# Sets what the wearer has chosen.
# @roles wearer
# @results nothing
method SetPreferences(
  # What is to hold.
  preferences: Preferences
) -> ()

# What a consent is for.
type Purpose (
  # Own keys leave the device to warn others.
  # @roles wearer
  releaseKeys,
  # Everything is erased. A technician prepares the device for its next wearer by it.
  # @roles wearer technician
  reset,
  # Own keys go to another device of the wearer, or come from one.
  # @roles wearer
  pair
)

# Agrees to one act, once. How presence was shown follows from the socket the call came by, never from what the caller says.
# @roles wearer technician
# @results nothing
# @consents
method GiveConsent(
  # The act that is agreed to.
  purpose: Purpose
) -> (
  # A ticket for one call that needs this consent. It is worthless for anything else and after its time.
  ticket: string,
  # Until when it is good, Unix seconds; absent while the time is not known: then it is good until the time is known.
  expires: ?int
)

# Whose risk this device stands for. A place has no personal risk, sends nothing and keeps nothing. Another role is another life: matches, sightings,
# own keys, consents, the audit log, the wearer's choices and secret, and what plugins keep are destroyed, and the core starts anew.
# @roles technician
# @results nothing
method SetRole(
  # The new role.
  role: (person, place)
) -> ()

# What the radio does and has done since the program started. Counts only.
type Radio (
  # Whether an identifier is on air.
  onAir: bool,
  # Whether the receiver is on.
  scanning: bool,
  # What kind of controller is there; absent while there is none.
  controller: ?string,
  # How it is reached.
  transport: string,
  # Why it cannot be reached, if so.
  transportProblem: ?string,
  # Whether sending pauses during scans because the controller cannot do both.
  timeSlices: bool,
  # Seconds until the identifier changes; absent while none is on air.
  secondsToRotation: ?int,
  # How late an identifier was changed at worst, milliseconds.
  worstRotationLateness: int,
  # Identifiers put on air.
  rotationCount: int,
  # Scans made.
  scanCount: int,
  # Scans that heard nothing at all.
  quietScanCount: int,
  # Advertisements of any kind, by anybody.
  reportCount: int,
  # Advertisements of Exposure Notification.
  exposureNotificationCount: int,
  # Different senders of Exposure Notification in the last scan.
  lastScanSenderCount: int,
  # Scans that could not be stored.
  lostScanCount: int,
  # Advertisements of Exposure Notification by strength, in steps of 5 dBm from -110 up: the first counts what is weaker than -110, the last
  # what is -20 or stronger. At most 20 numbers, always that many; nothing tells whose they were.
  rssiHistogram: []int,
  # How often each step against trouble was taken, by its name. At most 16.
  ladder: [string]int,
  # The last trouble in a sentence; absent if there was none.
  lastTrouble: ?string,
  # What becomes of the code at a place's door (org.vigil.door1.Broadcast); absent on a person's device. onAir: it is broadcast. nothing: no code
  # is to be broadcast now. timeUnsure: the time is not known, or was only carried over a time without power, so nobody can say whether a code is
  # valid, and none is broadcast. off: the device is switched off. silent: a code is to be broadcast, and the radio does not do it yet, or any more.
  door: ?(onAir, nothing, timeUnsure, off, silent)
)

# Tells what the radio does now, and has done since the program started.
# @roles wearer technicianReadOnly technician
# @results nothing
method GetRadio() -> (
  # What it does and has done.
  radio: Radio
)

# One hour's proof that this device really sent and received. Counts only.
type EvidenceHour (
  # Start of the hour, Unix seconds.
  start: int,
  # Scans made.
  scanCount: int,
  # Scans that heard nothing at all.
  quietScanCount: int,
  # Advertisements of any kind, by anybody.
  reportCount: int,
  # Advertisements of Exposure Notification.
  exposureNotificationCount: int,
  # Senders stored, counted once per scan.
  storedSenderCount: int,
  # Identifiers put on air.
  rotationCount: int,
  # Seconds an identifier was on air.
  secondsOnAir: int,
  # Steps taken against trouble with the controller.
  troubleCount: int
)

# The hours of the last 14 days in which this device ran, oldest first. Hours that are missing are hours it did not run.
# [Supports 'more' flag]
# @roles wearer technicianReadOnly technician
# @results nothing
method GetEvidence(
  # Only hours that start at or after this, Unix seconds.
  since: ?int
) -> (
  # One page: as many as fit into 48 KiB of JSON; the next reply goes on.
  hours: []EvidenceHour
)

# What is known about the time.
type Time (
  # How far it is trusted.
  state: (untrusted, plausible, authenticated),
  # The state in an English sentence, with what to do.
  sentence: string,
  # Unix milliseconds; absent while it is not known.
  now: ?int,
  # How wrong it may be either way, in seconds; absent while it is not known.
  uncertainty: ?int,
  # Seconds by which the system's clock is ahead of it; absent while it is not known. Certificates of servers are judged by that clock.
  systemOffset: ?int,
  # What a clock said that was not believed, within the last day, in an English sentence; absent if nothing.
  refused: ?string
)

# The time as this device believes it.
# @roles nobody wearer technicianReadOnly technician
# @results nothing
# @fleet
method GetTime() -> (
  # What is known.
  time: Time
)

# Sets the time by hand, on boards that hear no clock: believed to within 60 seconds, unless a signed time contradicts it.
# @roles technician
# @results nothing
method SetTime(
  # Unix milliseconds.
  now: int
) -> (
  # What is known afterwards.
  time: Time
)

# One entry of the log of consents, releases, resets and changes.
type AuditEntry (
  # Number, rising by one in what the caller is shown: who is not shown the wearer's own entries has numbers without them.
  sequence: int,
  # Unix seconds; absent while the time was not known.
  time: ?int,
  # What happened, in one stable word; docs/exposure-api.md has them all.
  kind: string,
  # The name of the caller by whose socket it came.
  actor: string,
  # More about it, by name.
  details: [string]string
)

# The audit log, oldest first, and whether it is whole.
# [Supports 'more' flag]
# @roles wearer technicianReadOnly technician
# @results nothing
method GetAudit(
  # Only entries with a higher number.
  after: ?int
) -> (
  # One page: as many as fit into 48 KiB of JSON; the next reply goes on.
  entries: []AuditEntry,
  # Whether every entry since the beginning, or since the oldest that is kept, is there and unchanged.
  intact: bool,
  # Entries that are no longer kept.
  droppedCount: int
)

# What the strongest sender of Exposure Notification sounded like during a measurement.
type Measurement (
  # Whether it is still under way.
  running: bool,
  # Seconds left.
  secondsLeft: int,
  # Advertisements counted.
  count: int,
  # Median strength, dBm; absent before the first.
  median: ?int,
  # Half of them lie within so many decibels; absent before the first.
  spread: ?int,
  # What to set so that the median becomes the reference; absent while the measurement is not good enough.
  proposal: ?int
)

# Measures for so long, with another device lying one metre away and nothing nearer: finds how much this board's receiver differs.
# @roles technician
# @results nothing
method MeasureStrength(
  # The length of the measurement in seconds, 10 to 120.
  seconds: int,
  # What a reference receiver hears at that distance, dBm, -90 to -30: written on the reference device's sheet.
  reference: int
) -> ()

# How far the measurement is.
# @roles technicianReadOnly technician
# @results nothing
method GetMeasurement() -> (
  # The running or last one; absent if none was made since the start.
  measurement: ?Measurement,
  # The correction that holds: decibels added to what the receiver says.
  correction: int
)

# Sets the correction of this board's receiver, for what is heard from now on.
# @roles technician
# @results nothing
method SetCorrection(
  # -30 to 30 dB; absent to go back to the board profile's.
  correction: ?int
) -> ()

# What the loudest sender of Exposure Notification sounded like while the radio listened without a pause, and how near the next one was. Strengths
# are dBm as the controller gives them, before any correction. Nothing tells who they were.
type Neighbours (
  # Whether the measurement is under way.
  running: bool,
  # Seconds left.
  secondsLeft: int,
  # Scans begun for it: none means that the radio did not listen.
  scanCount: int,
  # Receptions of the loudest of those that were heard about as often as the one that was heard most.
  count: int,
  # Their median; absent without any.
  median: ?int,
  # The quarter of them that was weakest was at most that strong; absent without any.
  lowerQuartile: ?int,
  # The quarter of them that was strongest was at least that strong; absent without any.
  upperQuartile: ?int,
  # The median of their distances from the median, dB; absent without any.
  deviation: ?int,
  # Receptions of the loudest of the others that were heard at the same time, of those with at least 5; 0 if there was none.
  otherCount: int,
  # Their median; absent without any.
  otherMedian: ?int,
  # Whether a sender began when another one had ended, at about its strength: so it sounds when one changes its identifier.
  changed: bool
)

# Listens without a pause for so long; the beacon goes on, and scans have their rhythm again afterwards, whatever happens. In the place of a measurement
# under way. Only for the operator's console. On a person's device with a button it begins with the wearer's press (ButtonNeeded until then),
# which is good for 15 minutes of it and is recorded in the audit log, as is its beginning where there is no button.
# @roles none
# @results nothing
method MeasureNeighbours(
  # For how long, 2 to 60 seconds.
  seconds: int
) -> ()

# How far that is. Only for the operator's console.
# @roles none
# @results nothing
method GetNeighbours() -> (
  # The running or last one; absent if none was made since the start.
  neighbours: ?Neighbours
)

# What the disk holds.
type Storage (
  # Days for which there are sightings.
  dayCount: int,
  # Bytes written since the program started.
  writtenByteCount: int,
  # What was found damaged and what became of it. At most 64.
  findings: []string,
  # Why nothing can be stored, if so.
  problem: ?string,
  # Bytes that can still be written there, rounded down to a hundredth of all; absent where nobody can say.
  freeByteCount: ?int,
  # Bytes there are in all; absent where nobody can say.
  byteCount: ?int,
  # Which life of the device this is: 1 until everything was erased for the first time, and one more each time; absent where nobody can say.
  life: ?int,
  # When the life before was erased, in Unix seconds; absent in the first life and where nobody knew the time.
  erased: ?int,
  # Whether it was erased to hand the device on, so that the wearer's secret of before ended, too; absent in the first life and where nobody can say.
  handedOn: ?bool
)

# What the disk holds, and what is wrong with it.
# @roles technicianReadOnly technician
# @results nothing
method GetStorage() -> (
  # What is there.
  storage: Storage
)

# A part of the answer to "what does this device hold about me?".
type Section (
  # What it is about, in one stable word.
  topic: string,
  # In English: what is held, why, and until when.
  explanation: string,
  # Values for people, by name. Where something is held that this answer must not carry, it says so and why.
  values: [string]string
)

# What this device holds about its wearer, in full as far as it is safe to say: everything but the secrets themselves and other people's
# identifiers, of which it tells how many there are.
# [Supports 'more' flag]
# @roles wearer
# @results windows
method ExportMyData() -> (
  # One page: as many as fit into 48 KiB of JSON; the next reply goes on.
  sections: []Section
)

# A device that belongs to the same person, whose publications must not count as an encounter.
type Paired (
  # The name that was given to it.
  name: string
)

# Writes a pairing file into the caller's spool folder. It carries no secret: marks by which another device can tell that something
# published came from this one.
# @roles wearer
# @results nothing
# @consents
method WritePairingFile(
  # Plain name of a file that does not exist yet.
  file: string,
  # A consent to pair.
  ticket: string
) -> ()

# Reads another device's pairing file from the caller's spool folder.
# @roles wearer
# @results nothing
# @consents
method ReadPairingFile(
  # Plain name of the file.
  file: string,
  # What to call the other device: up to 32 letters, digits, dashes and blanks.
  name: string,
  # A consent to pair.
  ticket: string
) -> (
  # The device as it is known now.
  paired: Paired
)

# The devices paired with this one.
# @roles wearer
# @results nothing
# @consents
method GetPaired() -> (
  # The devices, by the names that were given to them. At most 8.
  paired: []Paired
)

# Forgets a paired device. One that is not paired makes no difference.
# @roles wearer
# @results nothing
# @consents
method ForgetPaired(
  # The name that was given to it.
  name: string
) -> ()

# A recording of what passes between the core and the controller, for whoever mends the radio. It is made harmless before it is written:
# identifiers, metadata and addresses are replaced by pseudonyms whose key is lost at its end, and other content is blanked.
type Recording (
  # Whether it is under way.
  running: bool,
  # Seconds until it ends by itself.
  secondsLeft: int,
  # Packets recorded, those that made room for newer ones included.
  recordCount: int,
  # Bytes of its file.
  byteCount: int,
  # Packets that were left out because they came too fast, or because the file could not be written.
  leftOutCount: int,
  # Why it ended early, if so.
  problem: ?string
)

# Begins a recording into the caller's spool folder, as recording.btsnoop, in the place of the one before; the older half of a long one is
# recording.btsnoop.older. Only for the operator's console. On a person's device with a button it begins with the wearer's press (ButtonNeeded
# until then). Recorded in the audit log; it ends with the program.
# @roles none
# @results nothing
method StartRecording(
  # How long at most, 10 to 86,400 seconds.
  seconds: int
) -> ()

# How far the recording is. Only for the operator's console.
# @roles none
# @results nothing
method GetRecording() -> (
  # The running or last one; absent if none was made since the start.
  recording: ?Recording
)

# Ends the recording. One that has ended makes no difference. Only for the operator's console.
# @roles none
# @results nothing
method StopRecording() -> (
  # What it came to; absent if none was made since the start.
  recording: ?Recording
)

# Erases everything and starts as new. What was sealed cannot be opened afterwards, whatever traces the disk keeps. The reply comes
# when it is done; then the program ends and is started anew.
# @roles wearer technician
# @results nothing
method Reset(
  # A consent to reset.
  ticket: string,
  # Whether the device is handed on to somebody else: then the wearer's secret ends with everything that it protected. Absent: no. A technician's
  # reset always hands on.
  handOn: ?bool
) -> ()

# The ticket does not permit this.
error ConsentRefused (
  # What is wrong with the ticket.
  cause: (unknown, spent, expired, otherPurpose),
  # Why, in an English sentence, with what to do.
  reason: string
)

# This caller (at a page: this role) has too many consents for this purpose open: 16.
error TooManyConsents (
  # Why, in an English sentence, with what to do.
  reason: string
)

# Where the device has a button for it, warning others needs a press of it: a page alone cannot agree.
error ButtonNeeded (
  # Why, in an English sentence, with what to do.
  reason: string
)

# A device of this role cannot do this.
error WrongRole (
  # Why, in an English sentence, with what to do.
  reason: string
)

# The time cannot be believed.
error TimeRefused (
  # Why, in an English sentence, with what to do.
  reason: string
)

# The file cannot be used.
error FileRefused (
  # As the caller named it.
  file: string,
  # The rule that it breaks, in one stable word.
  rule: string,
  # Why, in an English sentence, with what to do.
  reason: string
)

# What is kept cannot be read or written now. The beacon does not depend on it.
error StorageUnavailable (
  # Why, in an English sentence, with what to do.
  reason: string
)

"""#

    /// The methods of `org.vigil.device1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// Agrees that this device beacons and listens. Recorded, with how the person showed to be present. In a place, which has no wearer, a technician
        /// does so for its host.
        case enable = "Enable"
        /// Withdraws that agreement: nothing is sent and nothing is listened to from now on. What was heard stays until it is 14 days old or the device
        /// is reset.
        case disable = "Disable"
        /// Tells what the wearer has chosen.
        case getPreferences = "GetPreferences"
        /// Sets what the wearer has chosen.
        case setPreferences = "SetPreferences"
        /// Agrees to one act, once. How presence was shown follows from the socket the call came by, never from what the caller says.
        case giveConsent = "GiveConsent"
        /// Whose risk this device stands for. A place has no personal risk, sends nothing and keeps nothing. Another role is another life: matches, sightings,
        /// own keys, consents, the audit log, the wearer's choices and secret, and what plugins keep are destroyed, and the core starts anew.
        case setRole = "SetRole"
        /// Tells what the radio does now, and has done since the program started.
        case getRadio = "GetRadio"
        /// The hours of the last 14 days in which this device ran, oldest first. Hours that are missing are hours it did not run.
        case getEvidence = "GetEvidence"
        /// The time as this device believes it.
        case getTime = "GetTime"
        /// Sets the time by hand, on boards that hear no clock: believed to within 60 seconds, unless a signed time contradicts it.
        case setTime = "SetTime"
        /// The audit log, oldest first, and whether it is whole.
        case getAudit = "GetAudit"
        /// Measures for so long, with another device lying one metre away and nothing nearer: finds how much this board's receiver differs.
        case measureStrength = "MeasureStrength"
        /// How far the measurement is.
        case getMeasurement = "GetMeasurement"
        /// Sets the correction of this board's receiver, for what is heard from now on.
        case setCorrection = "SetCorrection"
        /// Listens without a pause for so long; the beacon goes on, and scans have their rhythm again afterwards, whatever happens. In the place of a measurement
        /// under way. Only for the operator's console. On a person's device with a button it begins with the wearer's press (ButtonNeeded until then),
        /// which is good for 15 minutes of it and is recorded in the audit log, as is its beginning where there is no button.
        case measureNeighbours = "MeasureNeighbours"
        /// How far that is. Only for the operator's console.
        case getNeighbours = "GetNeighbours"
        /// What the disk holds, and what is wrong with it.
        case getStorage = "GetStorage"
        /// What this device holds about its wearer, in full as far as it is safe to say: everything but the secrets themselves and other people's
        /// identifiers, of which it tells how many there are.
        case exportMyData = "ExportMyData"
        /// Writes a pairing file into the caller's spool folder. It carries no secret: marks by which another device can tell that something
        /// published came from this one.
        case writePairingFile = "WritePairingFile"
        /// Reads another device's pairing file from the caller's spool folder.
        case readPairingFile = "ReadPairingFile"
        /// The devices paired with this one.
        case getPaired = "GetPaired"
        /// Forgets a paired device. One that is not paired makes no difference.
        case forgetPaired = "ForgetPaired"
        /// Begins a recording into the caller's spool folder, as recording.btsnoop, in the place of the one before; the older half of a long one is
        /// recording.btsnoop.older. Only for the operator's console. On a person's device with a button it begins with the wearer's press (ButtonNeeded
        /// until then). Recorded in the audit log; it ends with the program.
        case startRecording = "StartRecording"
        /// How far the recording is. Only for the operator's console.
        case getRecording = "GetRecording"
        /// Ends the recording. One that has ended makes no difference. Only for the operator's console.
        case stopRecording = "StopRecording"
        /// Erases everything and starts as new. What was sealed cannot be opened afterwards, whatever traces the disk keeps. The reply comes
        /// when it is done; then the program ends and is started anew.
        case reset = "Reset"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.device1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .enable: Law([.wearer], .nothing, inPlaces: [.technician])
            case .disable: Law([.wearer], .nothing, inPlaces: [.technician])
            case .getPreferences: Law([.nobody, .wearer, .technicianReadOnly, .technician], .nothing)
            case .setPreferences: Law([.wearer], .nothing)
            case .giveConsent: Law([.wearer, .technician], .nothing, isAboutConsents: true)
            case .setRole: Law([.technician], .nothing)
            case .getRadio: Law([.wearer, .technicianReadOnly, .technician], .nothing)
            case .getEvidence: Law([.wearer, .technicianReadOnly, .technician], .nothing)
            case .getTime: Law([.nobody, .wearer, .technicianReadOnly, .technician], .nothing, isForFleets: true)
            case .setTime: Law([.technician], .nothing)
            case .getAudit: Law([.wearer, .technicianReadOnly, .technician], .nothing)
            case .measureStrength: Law([.technician], .nothing)
            case .getMeasurement: Law([.technicianReadOnly, .technician], .nothing)
            case .setCorrection: Law([.technician], .nothing)
            case .measureNeighbours: Law([], .nothing)
            case .getNeighbours: Law([], .nothing)
            case .getStorage: Law([.technicianReadOnly, .technician], .nothing)
            case .exportMyData: Law([.wearer], .windows)
            case .writePairingFile: Law([.wearer], .nothing, isAboutConsents: true)
            case .readPairingFile: Law([.wearer], .nothing, isAboutConsents: true)
            case .getPaired: Law([.wearer], .nothing, isAboutConsents: true)
            case .forgetPaired: Law([.wearer], .nothing, isAboutConsents: true)
            case .startRecording: Law([], .nothing)
            case .getRecording: Law([], .nothing)
            case .stopRecording: Law([], .nothing)
            case .reset: Law([.wearer, .technician], .nothing)
            }
        }
    }
}

extension Device1.Purpose {
    /// The roles that may choose it, as `# @roles` above the word says.
    public var roles: Set<Law.Holder> {
        switch self {
        case .releaseKeys: [.wearer]
        case .reset: [.wearer, .technician]
        case .pair: [.wearer]
        }
    }
}
