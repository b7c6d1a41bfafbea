// SPDX-License-Identifier: Apache-2.0

public import KeyIntake

/// Unpacks key files for commands, with the unzip program in the folder of the running program.
///
/// A command that a person runs may continue where the kernel cannot confine the program, and says so; the core may
/// not.
public enum Unpacking {
    /// Returns the unzip program in the folder of the running program, which may run unconfined. Throws
    /// ``InputError`` when it is not there, or when that folder is not known.
    public static func program() throws(InputError) -> UnzipProgram {
        do throws(IntakeFailure) {
            return try UnzipProgram.besideThisProgram(mayBeUnconfined: true)
        } catch {
            throw InputError(file: UnzipProgram.name, "cannot be found: \(error)")
        }
    }

    /// Tells the person on standard error that a file was unpacked without confinement; does nothing when
    /// `isConfined` is `true`. Cannot fail.
    public static func mention(isConfined: Bool) {
        guard !isConfined else { return }
        Terminal.error("vigil: this kernel cannot confine the program that unpacks key files; it ran unconfined\n")
    }
}
