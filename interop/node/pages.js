// All pages of a list, for clients that hand out one at a time.

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
