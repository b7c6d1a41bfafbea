// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Made by `make generate` of org.vigil.time1.varlink. Change the text, and generate again.

extension Time1 {
    /// The text of `org.vigil.time1`, byte for byte as in `Texts`: what its server shows to callers.
    public static let text =
#"""
# SPDX-License-Identifier: Apache-2.0
#
# The signed time, for whoever can reach the authority: the question is this device's, the answer is the authority's, and who
# carries them can neither change nor keep them for another time.
# @server core
interface org.vigil.time1

# A question that has not been asked before. Good for one answer that the same caller hands in, for 20 minutes, and while that caller made at
# most seven later ones.
# @roles none
# @results nothing
# @fleet
method MakeChallenge() -> (
  # 32 hexadecimal digits.
  challenge: string
)

# The authority's answer, as it came.
# @roles none
# @results nothing
# @fleet
method TakeSignedTime(
  # The whole document, signature included: six lines (docs/time.md).
  document: string
) -> (
  # How far the time is trusted afterwards.
  state: (untrusted, plausible, authenticated),
  # In an English sentence, with what to do.
  sentence: string
)

# The answer is not used.
error AnswerRefused (
  # malformed; unknownNonce: not asked, too late or answered already; badSignature: by no time key that is in force; notBelieved: it
  # contradicts what is known for certain.
  cause: (malformed, unknownNonce, badSignature, notBelieved),
  # In an English sentence, with what to do.
  reason: string
)

"""#

    /// The methods of `org.vigil.time1`. The raw value is the name on the wire.
    public enum Method: String, LawfulMethod {
        /// A question that has not been asked before. Good for one answer that the same caller hands in, for 20 minutes, and while that caller made at
        /// most seven later ones.
        case makeChallenge = "MakeChallenge"
        /// The authority's answer, as it came.
        case takeSignedTime = "TakeSignedTime"

        /// The interface's name, as calls carry it before the method's.
        public static var interface: String { "org.vigil.time1" }

        /// Who may call the method, and what its answers tell: the annotations above it in the text.
        public var law: Law {
            switch self {
            case .makeChallenge: Law([], .nothing, isForFleets: true)
            case .takeSignedTime: Law([], .nothing, isForFleets: true)
            }
        }
    }
}
