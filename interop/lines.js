// Lines of a stream. Not by `node:readline`, for which U+2028 ends a line: in JSON it stands for itself.

export async function* linesOf(stream) {
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop()
    yield* lines
  }
}
