// SPDX-License-Identifier: Apache-2.0

import InterfaceGenerator
import Testing

/// A small text with everything that annotations can say.
enum Sample {
    static let path = "Texts/org.vigil.sample1.varlink"

    static let text = """
        # SPDX-License-Identifier: Apache-2.0
        #
        # For tests.
        # @server core
        interface org.vigil.sample1

        # What for.
        type Purpose (
          # Own.
          # @roles wearer
          own,
          # All.
          # @roles wearer technician
          all
        )

        # Somebody was met.
        # @results windows
        type Meeting (
          # Which day.
          day: int
        )

        # Meetings of a day.
        type Day (
          # All.
          meetings: []Meeting
        )

        # How full the battery is.
        # @roles technicianReadOnly technician
        # @results nothing
        method GetBattery() -> (
          # Percent.
          charge: int
        )

        # Whom somebody met.
        # @roles wearer
        # @results windows
        method GetMeetings() -> (
          # By day.
          days: ?[]Day
        )

        # Takes.
        # @roles none
        # @results nothing
        # @consents
        # @exclusive
        method Take(
          # What for.
          purpose: Purpose
        ) -> ()

        # It failed.
        error Failed (
          # Why.
          reason: string
        )

        """

    static func files(_ text: String = text, path: String = path) throws -> [InterfaceGenerator.File] {
        try InterfaceGenerator.generate([InterfaceText(path: path, text: text)])
    }

    /// Why `text` is refused; empty if it is not.
    static func problems(_ text: String, path: String = path) throws -> [GenerationFailure.Problem] {
        do {
            _ = try files(text, path: path)
            return []
        } catch let failure as GenerationFailure {
            #expect(!failure.problems.isEmpty)
            return failure.problems
        }
    }

    /// ``text`` with one place of it changed.
    static func changed(_ place: String, to replacement: String) throws -> String {
        let parts = text.split(separator: place, maxSplits: 2, omittingEmptySubsequences: false)
        try #require(parts.count >= 2, "the sample has no \(place)")
        return parts[0] + replacement + parts[1...].joined(separator: place)
    }
}
