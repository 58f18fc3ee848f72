// A list of any length of which only the rows in sight are there.
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

const EXTRA = 8

export interface VirtualListProps<Item> {
  readonly items: readonly Item[]
  readonly rowHeight: number
  readonly label: string
  readonly row: (item: Item, index: number) => JSX.Element
  /** Stays at the end while it is there and more comes. */
  readonly follows: boolean
  readonly onKeyDown?: (event: KeyboardEvent) => void
  /** A row to bring into sight when it changes. */
  readonly shown?: number
}

export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { items, rowHeight, label, row, follows, onKeyDown, shown } = props
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const [view, setView] = useState({ top: 0, height: 600 })
  const measure = () => {
    const element = box.current
    if (element === null) return
    isAtEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - rowHeight
    setView({ top: element.scrollTop, height: element.clientHeight })
  }
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    const element = box.current
    if (element !== null && follows && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [items.length, follows])
  useEffect(() => {
    const element = box.current
    if (element === null || shown === undefined || shown < 0) return
    const top = shown * rowHeight
    if (top < element.scrollTop) element.scrollTop = top
    else if (top + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight - element.clientHeight
    }
  }, [shown])
  const first = Math.max(0, Math.floor(view.top / rowHeight) - EXTRA)
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / rowHeight) + EXTRA)
  return (
    <div
      class="virtual"
      ref={box}
      onScroll={measure}
      onKeyDown={onKeyDown}
      tabIndex={0}
      role="group"
      aria-label={label}
    >
      <div class="virtual-inner" style={{ height: `${items.length * rowHeight}px` }}>
        <div class="virtual-window" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {items.slice(first, last).map((item, index) => row(item, first + index))}
        </div>
      </div>
    </div>
  )
}
