/** The path of a file of the package, or nothing where the package cannot be had. */
export function installApart(
  folder: string,
  wanted: readonly [name: string, version: string, path: string],
): string | undefined
