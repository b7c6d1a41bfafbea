// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.indicator1.varlink. Change the text, and generate again.

extension Indicator1 {
    /// The text of `org.vigil.indicator1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# What a device without a screen may show by light and sound. Who draws it learns no number, no day and nothing about anybody: only what everybody
# who sees the device sees. What its button does is told here and decided by the core, which alone reads it: nothing in here is a way to press it.
# @server core
interface org.vigil.indicator1

# What can hold. docs/indicator.md has the words for wearers. `updating` and `batteryLow` come from the board; `news` only if the wearer wants to be
# notified: of an exposure, of a test's result or of what became of a warning, and it is the same for all of them. `reminder`, likewise only if the wearer
# wants to be notified: something that the wearer began ends by itself soon, such as a visit.
type Signal (updating, problem, timeUntrusted, batteryLow, news, reminder, onAir, off)

# What the button is about: nothing; a press agrees to warn others; it is held and counts down to a reset; it has to be let go; one more press erases
# everything; it does not come free.
type Button (idle, consentWanted, countdown, release, confirmWanted, stuck)

# What is to be shown.
type Scene (
  # What holds, in no order. At most 8.
  signals: []Signal,
  # What the button is about.
  button: Button,
  # Counts left before a reset could be confirmed, 5 to 1; only while it counts.
  count: ?int,
  # How often somebody pressed to hear the state, since the start.
  presses: int,
  # How often an act of the button was done, since the start.
  done: int,
  # How often one was called off, since the start.
  cancelled: int,
  # Whether a place's code is being collected, or written down: hold on. Absent if not.
  collecting: ?bool
)

# What is to be shown now, and again after every change.
# [Requires 'more' flag]
# @roles none
# @results windows
method Watch() -> (
  # The whole of it.
  scene: Scene
)

# A time in which the light reminds the wearer, without its end.
type Reminder (
  # When it begins, Unix seconds.
  from: int,
  # When it is over, Unix seconds; after `from`.
  until: int
)

# Says whether the caller has something that the wearer should look at on the page, and when the wearer is to be reminded of something. Held until it says
# otherwise, is removed, or the core is started again; what it is about is not said, and nothing of it is logged. More reminders than 8, or one that is
# over before it begins, are refused with InvalidParameter.
# @roles none
# @results nothing
method SayNews(
  # Whether there is something.
  news: bool,
  # When the wearer is to be reminded, in place of what was said before; absent for never. At most 8.
  reminders: ?[]Reminder
) -> ()

"""#

    /// The methods of `org.vigil.indicator1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// What is to be shown now, and again after every change.
        case watch = "Watch"
        /// Says whether the caller has something that the wearer should look at on the page, and when the wearer is to be reminded of something. Held until it says
        /// otherwise, is removed, or the core is started again; what it is about is not said, and nothing of it is logged. More reminders than 8, or one that is
        /// over before it begins, are refused with InvalidParameter.
        case sayNews = "SayNews"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.indicator1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .watch: Law([], .windows)
            case .sayNews: Law([], .nothing)
            }
        }
    }
}
