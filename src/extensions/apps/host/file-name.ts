// The name under which a file of a view may be saved: a name from a view is not to be trusted.

const MAX_LENGTH = 120
/** Names of devices on Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$/i
/** Control characters, those that turn the direction of text, and those that are not allowed in names. */
const UNFIT = /[\p{Cc}\p{Cf}<>:"|?*]/gu

/** The last part of a path or uri, without anything that leaves a folder, hides an extension or names a device. */
export function cleanFileName(text: string): string {
  const name = (
    decode(text)
      .split(/[/\\]/)
      .findLast((part) => part !== '') ?? ''
  )
    .normalize()
    .replace(UNFIT, '')
    .replace(/^[\s.]+|[\s.]+$/g, '')
  if (name === '') return 'download'
  const fit = DEVICE.test(name) ? `_${name}` : name
  if (fit.length <= MAX_LENGTH) return fit
  const extension = /\.[a-z0-9]{1,8}$/i.exec(fit)?.[0] ?? ''
  return `${fit.slice(0, MAX_LENGTH - extension.length)}${extension}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
