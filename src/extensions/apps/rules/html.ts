// Whether a text is a whole HTML document, and not a piece of one.

const MAX_PREFACE = 64 * 1024
const DOCUMENT = /^(?:<!doctype\s+html|<html)[\s>]/i

/** Whether the text begins as an HTML document does: with its doctype or `<html>`, after white space and comments. */
export function isHtmlDocument(text: string): boolean {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0
  while (at < MAX_PREFACE) {
    while (/\s/.test(text.charAt(at))) at += 1
    if (!text.startsWith('<!--', at)) return DOCUMENT.test(text.slice(at, at + 32))
    const end = text.indexOf('-->', at + 4)
    if (end === -1) return false
    at = end + 3
  }
  return false
}
