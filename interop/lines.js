// The lines of a stream. Not by `node:readline`, which ends a line at U+2028: JSON allows that character in strings.

export async function* linesOf(stream) {
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop()
    yield* lines
  }
}
