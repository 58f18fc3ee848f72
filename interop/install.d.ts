/** Each returns nothing, or the reason why the peer can't be installed here. */
export function installNode(): string | undefined
export function installPackages(folder: string, packages: readonly string[]): string | undefined
export function installPython(folder: string, requirements: readonly string[]): string | undefined
export function pythonOf(folder: string): string
export const NEWER_NODE: string
