// All pages of a list, for clients that return one page per call.

export async function followPages(readPage, member) {
  const all = []
  let cursor
  do {
    const page = await readPage(cursor === undefined ? undefined : { cursor })
    all.push(...page[member])
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return all
}
