// The list on the left of a screen: a filter, and items of which one is chosen.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { plural } from './text.ts'

export interface Item {
  readonly id: string
  readonly title: string
  readonly note?: string
  readonly badges?: ComponentChildren
}

const ROWS_AT_ONCE = 200

export function ItemList(props: {
  label: string
  items: readonly Item[]
  chosen: string | undefined
  onChoose: (id: string) => void
  noun: string
  children?: ComponentChildren
}) {
  const { label, items, chosen, onChoose, noun, children } = props
  const [filter, setFilter] = useState('')
  const [limit, setLimit] = useState(ROWS_AT_ONCE)
  const wanted = filter.toLowerCase()
  const found = items.filter(({ title, note = '' }) => `${title} ${note}`.toLowerCase().includes(wanted))
  return (
    <section class="list-column" aria-label={label}>
      <div class="list-head">
        <input
          type="search"
          class="input filter"
          data-filter
          placeholder={`Filter ${plural(items.length, noun)}`}
          aria-label={`Filter ${label}`}
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        {children}
      </div>
      <ul class="items" data-list>
        {found.slice(0, limit).map((item) => (
          <li key={item.id}>
            <button type="button" class="item" aria-current={item.id === chosen} onClick={() => onChoose(item.id)}>
              <span class="item-title">{item.title}</span>
              {item.note === undefined ? null : <span class="item-note">{item.note}</span>}
              {item.badges === undefined ? null : <span class="item-badges">{item.badges}</span>}
            </button>
          </li>
        ))}
      </ul>
      {found.length > limit ? (
        <button type="button" class="button small more" onClick={() => setLimit(limit + ROWS_AT_ONCE)}>
          Show {Math.min(ROWS_AT_ONCE, found.length - limit)} more of {found.length}
        </button>
      ) : null}
      {found.length === 0 && items.length > 0 ? <p class="hint">Nothing matches the filter.</p> : null}
    </section>
  )
}
