// What every event store must do, ours or a shared one. Whoever writes one runs this against it.
import { describe, expect, it } from 'vitest'
import type { EventStore } from '../../src/server/http/streams/event-store.ts'

/** `create` makes an empty store; `reopen` another store on the same events, as a second process has one. */
export function describeEventStore(
  name: string,
  create: () => EventStore | Promise<EventStore>,
  reopen: (store: EventStore) => EventStore | Promise<EventStore> = (store) => store,
): void {
  describe(`the event store contract: ${name}`, () => {
    it('replays what came after an event, in order, and nothing else', async () => {
      const store = await create()
      const ids: string[] = []
      for (const data of ['', 'one', 'two', 'three']) ids.push(await store.append('s', data))
      expect(await store.replayAfter('s', ids[0] ?? '')).toMatchObject([
        { id: ids[1], data: 'one' },
        { id: ids[2], data: 'two' },
        { id: ids[3], data: 'three' },
      ])
      expect(await store.replayAfter('s', ids[2] ?? '')).toMatchObject([{ id: ids[3], data: 'three' }])
      expect(await store.replayAfter('s', ids[3] ?? '')).toEqual([])
    })

    it('gives all events of a stream or none of them, where it can', async () => {
      const store = await create()
      if (store.replayAll === undefined) return
      expect(await store.replayAll('s')).toBeUndefined()
      const first = await store.append('s', 'one')
      const second = await store.append('s', 'two')
      expect(await store.replayAll('s')).toEqual([
        { id: first, data: 'one' },
        { id: second, data: 'two' },
      ])
      expect([first, second]).not.toContain('0')
    })

    it('S-HTTPL-13 gives ids that are unique in their stream and safe in a header', async () => {
      const store = await create()
      const ids = new Set<string>()
      for (let i = 0; i < 100; i++) ids.add(await store.append('s', `${i}`))
      expect(ids.size).toBe(100)
      for (const id of ids) expect(id).toMatch(/^[\w-]{1,64}$/)
    })

    it('R17 never replays the events of another stream', async () => {
      const store = await create()
      const mine = await store.append('mine', 'a')
      await store.append('mine', 'b')
      const theirs = await store.append('theirs', 'x')
      await store.append('theirs', 'y')
      expect((await store.replayAfter('mine', mine))?.map(({ data }) => data)).toEqual(['b'])
      const crossed = (await store.replayAfter('mine', theirs)) ?? []
      for (const { data } of crossed) expect(['a', 'b']).toContain(data)
    })

    it.each([
      ['unknown', 'no-such-event'],
      ['empty', ''],
      ['a line break', 'a\r\nb'],
      ['a path', '../../etc/passwd'],
      ['a query', "1' OR '1'='1"],
      ['of 1 MB', 'x'.repeat(1_000_000)],
      ['in the future', '999999999'],
      ['negative', '-1'],
      ['a fraction', '1.5'],
      ['an inherited name', '__proto__'],
    ])('F130 knows no event whose id is %s', async (_what, id) => {
      const store = await create()
      await store.append('s', 'one')
      await store.append('s', 'two')
      expect(await store.replayAfter('s', id)).toBeUndefined()
      expect(await store.replayAfter('no such stream', id)).toBeUndefined()
    })

    it('F124 forgets a stream that was dropped, and takes its name for a new one', async () => {
      const store = await create()
      const id = await store.append('s', 'one')
      await store.drop('s')
      await store.drop('never was')
      expect(await store.replayAfter('s', id)).toBeUndefined()
      const again = await store.append('s', 'two')
      expect(await store.replayAfter('s', again)).toEqual([])
    })

    it('F131 has what was appended after it is opened again', async () => {
      const store = await create()
      const first = await store.append('s', 'one')
      await store.append('s', 'two')
      const reopened = await reopen(store)
      expect(await reopened.replayAfter('s', first)).toMatchObject([{ data: 'two' }])
    })

    it('keeps text as it is', async () => {
      const store = await create()
      const first = await store.append('s', '')
      const data = '{"text":"line\\nbreak \u2028 é 漢字 😀 \\u0000"}'
      await store.append('s', data)
      expect((await store.replayAfter('s', first))?.[0]?.data).toBe(data)
    })
  })
}
