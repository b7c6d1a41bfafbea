// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// An issuer's half of blind signatures, by the plain power with the private exponent. For the keys of RFC 9578, appendix B.2, which
/// everybody knows; a real issuer uses another library.
public struct IssuerKey: Sendable {
    /// The modulus, 256 bytes, big end first.
    public let modulus: [UInt8]
    private let privateExponent: [UInt8]

    init(modulus: [UInt8], privateExponent: [UInt8]) {
        self.modulus = modulus
        self.privateExponent = privateExponent
    }

    private init(modulus: String, privateExponent: String) {
        self.modulus = Hex.bytes(modulus) ?? []
        self.privateExponent = Hex.bytes(privateExponent) ?? []
    }

    /// Returns the signature of a blinded message, as long as the modulus. Throws the errors of the big numbers.
    public func sign(_ blindedMessage: [UInt8]) throws -> [UInt8] {
        try BigNumber.read(blindedMessage).power(.read(privateExponent), modulo: .read(modulus)).bytes(modulus.count)
    }

    /// `type2-go-1` of Tests/Vectors/donation/pp-type2-issuance.json.
    public static let first = IssuerKey(
        modulus:
            "cb1aed6b6a95f5b1ce013a4cfcab25b94b2e64a23034e4250a7eab43c0df3a8c12993af12b111908d4b471bec31d4b6c9ad9cdda"
            + "90612a2ee903523e6de5a224d6b02f09e5c374d0cfe01d8f529c500a78a2f67908fa682b5a2b430c81eaf1af72d7b5e794fc98a3"
            + "139276879757ce453b526ef9bf6ceb99979b8423b90f4461a22af37aab0cf5733f7597abe44d31c732db68a181c6cbbe607d8c0e"
            + "52e0655fd9996dc584eca0be87afbcd78a337d17b1dba9e828bbd81e291317144e7ff89f55619709b096cbb9ea474cead264c207"
            + "3fe49740c01f00e109106066983d21e5f83f086e2e823c879cd43cef700d2a352a9babd612d03cad02db134b7e225a5f",
        privateExponent:
            "2f309b7738b58cf779f0c915f822dfc9f490dbeadf1e7adfac578ffd5703c6bba2da9d5a49725889b7ba112f8c6ff30551d9473e"
            + "000bc35c50e167ab7fa73a0c2b21965c4b59257c1ac06cbdcf28e863f6718ea8c29043c1c6da84629490fd0491bf52d172c959c1"
            + "921b96949c725747b8a7c7871995fa0b9eb1107ba854c6c32a6f4747c5d1c304c7467d55b080aa233a3a52ffdf26114cbb541ffa"
            + "6b696b7a096f8dcff69ca08ab58efb0fb753aa5185c73001696bbce8c099e3f435dcbbfe05e7dbaad23db2a659c23add521407f1"
            + "50b1af2d9054c4164229d6840b7a32a4f8481493ae8959cf0aea8def0c3c9f75b9a34c75718b7072c8dbab17cefeca49")
    /// `type2-rust-3` of the same file.
    public static let second = IssuerKey(
        modulus:
            "b684987b01a2fe3bd11efb59f7dd27eb62f6cbe94009c4401525e6b12991aa37958524b4e3fc2afeece9d7868356adb13289e9fd"
            + "456f335627059f05c0ab6967344f5d59582ad4d5a3fe45fb847fe6ba27a5ab29e533781969dd9b9d6b5fd7904f3adb854481e30c"
            + "8a7c901c4a8e8ec04fabaf0079c9623593c65427e866814379a6d3ce9f2bccacafc18967fbc044cafa92e3ed0d0a1306dc15d95b"
            + "3302aa3e6e8b51aedd0201afa6348d9e48613128fdad25e4f13fa21dca4d643c47b214a8b905c331d45e743e6586f0dd2fa7d88f"
            + "b1ebfcf39e9cf5d7061909b4a6f93b32269588cf03d9c250f8570b3a1f8c9858aa6b03ad227ba2482274aaf10a07d053",
        privateExponent:
            "9da1acf3677976eb00742a8f0c3413db0690b191947e1ae161a2673810f7be33dd4dad631117e3a661c4a0208b641c04d2ea2b8d"
            + "531f740def0bbac8c41b06a05c9c42b9fc1c99ce9da0e89e0e544c57f00ff3e0ee13e2a0c83eddbc3a54ff1ea25ee9e292453f6b"
            + "c05b4e3730e9283ecd5030874fa76ecb69023c026f83c014a9d8ca5fcd911a0ae571b02ffa9066d02f335d25f969dce33b61689f"
            + "24dc7cccf8348cbbc007130715bee14cab2778064b7f39cf4748cd495e2656384de1313480db19259489aa454175a759a2b9efeb"
            + "8ff3c45a87105fba48e47bc239afd15a7c2a536b49df464c91cff3d1d9e1e17884ccb392faef30865a42335ecd1179d9")
}
