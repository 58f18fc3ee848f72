// What a terminal would act on, or show otherwise than it is written.

/** By ranges, where the code under test goes by Unicode's properties. */
const ACTING: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x180e, 0x180e],
  [0x200b, 0x200c],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0d],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe0fff],
]

/** The characters of a text that act or hide, as numbers; tabs and line feeds are what they are. */
export function actingIn(text: string): string[] {
  return [...text]
    .map((character) => character.codePointAt(0) ?? 0)
    .filter((code) => ACTING.some(([first, last]) => code >= first && code <= last))
    .map((code) => code.toString(16))
}
