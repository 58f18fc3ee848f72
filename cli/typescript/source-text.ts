// Source text without what looks like code and is none. Only for finding words: it removes too much rather than too little.

const BLANKED = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"|`(?:[^`\\]|\\[\s\S])*`/g

/** Comments, strings and templates become spaces, line by line. */
export function blankText(source: string): string {
  return source.replace(BLANKED, (found) => found.replace(/[^\n]/g, ' '))
}

/** Comments become spaces. Strings stay, because imports hold some. */
export function blankComments(source: string): string {
  return source.replace(BLANKED, (found) => (found.startsWith('/') ? found.replace(/[^\n]/g, ' ') : found))
}
