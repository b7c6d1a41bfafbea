// SPDX-License-Identifier: Apache-2.0

// Whole donations: those of Corona-Warn-App's apps (cwa-ppa-server d441e874), and the one of a board.

/// The software of a phone with iOS.
package struct PPAClientMetadataIOS: DonationMessage {
    package var cwaVersion: PPASemanticVersion?
    package var iosVersion: PPASemanticVersion?
    package var appConfigETag = ""

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [.message(1, \.cwaVersion), .message(2, \.iosVersion), .text(3, \.appConfigETag)]
    }
}

/// The software of a phone with Android.
package struct PPAClientMetadataAndroid: DonationMessage {
    package var cwaVersion: PPASemanticVersion?
    package var androidApiLevel: Int64 = 0
    package var enfVersion: Int64 = 0
    package var appConfigETag = ""

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [
            .message(1, \.cwaVersion), .number(2, \.androidApiLevel), .number(3, \.enfVersion),
            .text(4, \.appConfigETag),
        ]
    }
}

/// The software of a board (our own): no patch level and no more of the configuration than tells versions apart, because both would single out boards.
package struct PPAClientMetadataDevice: DonationMessage {
    package var major: UInt32 = 0
    package var minor: UInt32 = 0
    package var boardClass = BoardClass.unspecified
    package var configTag: [UInt8] = []

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [.number(1, \.major), .number(2, \.minor), .choice(3, \.boardClass), .bytes(4, \.configTag)]
    }
}

/// A donation; devices differ in what they say of themselves.
package struct PPAData<Client: DonationMessage>: DonationMessage {
    package var requestPadding: [UInt8] = []
    package var exposureRiskMetadataSet: [ExposureRiskMetadata] = []
    package var newExposureWindows: [PPANewExposureWindow] = []
    package var testResultMetadataSet: [PPATestResultMetadata] = []
    package var keySubmissionMetadataSet: [PPAKeySubmissionMetadata] = []
    package var clientMetadata: Client?
    package var userMetadata: PPAUserMetadata?

    /// Creates a message in which everything is absent.
    package init() {}

    package static var fields: [MessageField<Self>] {
        [
            .bytes(1, \.requestPadding), .list(2, \.exposureRiskMetadataSet), .list(3, \.newExposureWindows),
            .list(4, \.testResultMetadataSet), .list(5, \.keySubmissionMetadataSet), .message(6, \.clientMetadata),
            .message(7, \.userMetadata),
        ]
    }
}

/// A donation of a phone with iOS.
package typealias PPADataIOS = PPAData<PPAClientMetadataIOS>
/// A donation of a phone with Android.
package typealias PPADataAndroid = PPAData<PPAClientMetadataAndroid>
/// A donation of a board (our own): Corona-Warn-App's parts in the same fields.
package typealias PPADataDevice = PPAData<PPAClientMetadataDevice>
