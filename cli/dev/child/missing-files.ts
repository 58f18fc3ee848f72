// Files that an import asked for and that do not exist: when one of them appears, the program may load.

/** Where a file would have to be for a relative import to work. */
export function missingFiles(specifier: string, importer: string | undefined): string[] {
  if (!/^(?:\.{1,2}\/|\/|file:)/.test(specifier) || !URL.canParse(specifier, importer)) return []
  const { href } = new URL(specifier, importer)
  return [href, ...(/\.[cm]?js$/.test(href) ? [href.replace(/js$/, 'ts')] : [])]
}
