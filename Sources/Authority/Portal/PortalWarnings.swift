// SPDX-License-Identifier: Apache-2.0

public import Verification

/// The two servers that a portal asks to take warnings back. Not thread-safe; only one portal may use it.
public struct PortalWarnings {
    /// Knows a warning's handles by its code.
    let finder: any WarningFinding
    /// Knows the warnings.
    let desk: any WarningDesk

    /// Creates the pair of `finder`, which knows the handles of a warning's code, and `desk`, which changes published
    /// warnings. Each may be in this process or elsewhere. Neither is asked yet.
    public init(finder: any WarningFinding, desk: any WarningDesk) {
        self.finder = finder
        self.desk = desk
    }
}

extension PortalLanguage {
    /// The reason why a warning was not taken back, for whoever tried.
    func sentence(_ code: WarningRefusal.Code) -> String {
        switch code {
        case .unknownWarning:
            self(
                "Zu diesem Code ist keine Warnung bekannt. Bitte mit dem Schreiben des Labors vergleichen. Hat die Person noch nicht gewarnt, muss nur das Labor das Ergebnis berichtigen.",
                "No warning is known for this code. Compare it with the laboratory's letter. If the person has not warned yet, the laboratory only has to correct the result."
            )
        case .warningRevoked:
            self("Diese Warnung ist schon zurückgenommen.", "This warning was taken back before.")
        case .olderRevision:
            self(
                "Diese Änderung passt nicht zu dem, was veröffentlicht ist: eine Meldung ändert sich nur einmal, und ein Test wird nie zu weniger.",
                "This change does not follow what is published: a report changes once, and a test never becomes less.")
        case .warningNotPublished:
            self(
                "Von dieser Warnung ist noch nichts öffentlich. Bitte später noch einmal.",
                "Nothing of this warning is public yet. Please try again later.")
        case .typesAreCodes:
            self(
                "Hier lässt sich eine Warnung nur zurücknehmen.", "Here a warning can only be taken back.")
        case .alreadyProposed:
            self(
                "Das ist schon vorgeschlagen; unten wartet der Vorschlag auf eine zweite Person.",
                "This is proposed already; below, the proposal waits for a second person.")
        case .unknownProposal:
            self(
                "Diesen Vorschlag gibt es nicht mehr: er ist bestätigt, verworfen oder älter als drei Tage.",
                "There is no such proposal any more: it was confirmed or dropped, or is older than three days.")
        case .samePerson:
            self(
                "Sie haben das selbst vorgeschlagen. Bestätigen muss es eine andere Person.",
                "You proposed this yourself. Another person must confirm it.")
        case .invalidReason:
            self(
                "Bitte einen Grund angeben, 3 bis 200 Zeichen, ohne Namen.",
                "Give a reason, 3 to 200 characters, without names.")
        case .invalidCode:
            self(
                "Das ist kein Code eines Tests und keine teleTAN.", "This is neither the code of a test nor a teleTAN.")
        case .invalidPerson, .failed:
            self(
                "Das ging gerade nicht. Bitte später noch einmal, oder die Technik anrufen.",
                "That did not work. Try again later, or call whoever runs the portal.")
        }
    }
}
