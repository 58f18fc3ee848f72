// A command as one types it into a field: words, of which some are in quotes. Nothing else of a shell is known.
import { usageFailure } from './failure.ts'

/** `node "my server.js"` has two words. */
export function splitWords(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (const character of line) {
    if (quote !== undefined) {
      if (character === quote) quote = undefined
      else word += character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  if (quote !== undefined) throw usageFailure(`The quote ${quote} is not closed.`)
  if (word !== undefined) words.push(word)
  return words
}
