// Formats of dates and times: RFC 3339, and ISO 8601 durations as its appendix A has them.

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i
const DATE_LENGTH = 10

export function isDate(text: string): boolean {
  const match = DATE.exec(text)
  if (match === null) return false
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number)
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

export function isTime(text: string): boolean {
  const match = TIME.exec(text)
  if (match === null) return false
  const [hour = 0, minute = 0, second = 0] = match.slice(1, 4).map(Number)
  const offsetHour = Number(match[5] ?? 0)
  const offsetMinute = Number(match[6] ?? 0)
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false
  return second < 60 || isLeapSecond(hour, minute, offsetHour, offsetMinute, match[4])
}

export function isDateTime(text: string): boolean {
  const separator = text[DATE_LENGTH]
  if (separator !== 'T' && separator !== 't') return false
  return isDate(text.slice(0, DATE_LENGTH)) && isTime(text.slice(DATE_LENGTH + 1))
}

/** Weeks stand alone; otherwise units come from large to small without a gap between them. */
export function isDuration(text: string): boolean {
  if (/^P\d+W$/.test(text)) return true
  const match = /^P(\d+Y)?(\d+M)?(\d+D)?(?:T(\d+H)?(\d+M)?(\d+S)?)?$/.exec(text)
  if (match === null || text.endsWith('P') || text.endsWith('T')) return false
  return hasNoGap(match.slice(1, 4)) && hasNoGap(match.slice(4, 7))
}

function hasNoGap([large, middle, small]: readonly (string | undefined)[]): boolean {
  return !(large !== undefined && middle === undefined && small !== undefined)
}

/** Leap seconds are inserted at the end of a day in UTC. */
function isLeapSecond(
  hour: number,
  minute: number,
  offsetHour: number,
  offsetMinute: number,
  sign: string | undefined,
): boolean {
  const offset = (offsetHour * 60 + offsetMinute) * (sign === '-' ? -1 : 1)
  const minutesInUtc = (hour * 60 + minute - offset + 48 * 60) % (24 * 60)
  return minutesInUtc === 23 * 60 + 59
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}
