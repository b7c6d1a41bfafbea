// SPDX-License-Identifier: Apache-2.0

public import KeyIntake

/// The unpacking of key files by commands: with the program beside the running one.
///
/// What a person runs by hand may go on where the kernel confines nothing, and says so; the core may not.
public enum Unpacking {
    /// The program beside the running one; it may run unconfined. Throws ``InputError`` when it is not there, or the
    /// running one's folder is not known.
    public static func program() throws(InputError) -> UnzipProgram {
        do throws(IntakeFailure) {
            return try UnzipProgram.besideThisProgram(mayBeUnconfined: true)
        } catch {
            throw InputError(file: UnzipProgram.name, "cannot be found: \(error)")
        }
    }

    /// Tells the person on standard error when the file was unpacked without confinement; nothing where `isConfined` is
    /// true. Cannot fail.
    public static func mention(isConfined: Bool) {
        guard !isConfined else { return }
        Terminal.error("vigil: this kernel cannot confine the program that unpacks key files; it ran unconfined\n")
    }
}
