// The columns of a screen with a list. A narrow window has place for one of them, and tabs to choose which.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { HiddenTitle, Tabs } from './ui.tsx'

type Column = 'list' | 'work' | 'side'

/** A list and what is chosen in it, side by side; in a narrow window one of them. */
export function ListAndDetail(props: {
  names: readonly [list: string, detail: string]
  item: string | undefined
  state: string
  isChosen: boolean
  children: ComponentChildren
}) {
  const { names, item, state, isChosen, children } = props
  const [column, setColumn] = useState<'work' | 'side'>('side')
  useEffect(() => setColumn('side'), [item])
  const choose = (event: MouseEvent) => {
    if ((event.target as Element).closest('.message-row') !== null) setColumn('side')
  }
  const tabs = [
    ['work', names[0]],
    ['side', names[1]],
  ] as const
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the click is that of a button in the list.
    <div class="columns messages" data-chosen={isChosen} data-state={state} data-column={column} onClick={choose}>
      {isChosen ? (
        <div class="column-tabs">
          <Tabs label="Columns" tabs={tabs} chosen={column} onChoose={setColumn} />
          {column === 'work' ? null : <HiddenTitle>{names[0]}</HiddenTitle>}
        </div>
      ) : null}
      {children}
    </div>
  )
}

export function Columns(props: {
  /** What the tabs of the list and of the work area say. */
  names: readonly [list: string, work: string]
  /** What is chosen in the list, and whether it is there. */
  item: string | undefined
  isChosen: boolean
  children: ComponentChildren
}) {
  const { names, item, isChosen, children } = props
  const [column, setColumn] = useState<Column>('work')
  useEffect(() => setColumn('work'), [item])
  const choose = (event: MouseEvent) => {
    // Also where the item that is chosen already is chosen again.
    if ((event.target as Element).closest('[data-list] .item') !== null) setColumn('work')
  }
  const tabs = [
    ['list', names[0]],
    ['work', names[1]],
    ['side', 'Details'],
  ] as const
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the click is that of a button in the list.
    <div class="columns" data-chosen={isChosen} data-column={column} onClick={choose}>
      {isChosen ? (
        <div class="column-tabs">
          <Tabs label="Columns" tabs={tabs} chosen={column} onChoose={setColumn} />
          {column === 'work' ? null : <HiddenTitle>{names[0]}</HiddenTitle>}
        </div>
      ) : null}
      {children}
    </div>
  )
}
