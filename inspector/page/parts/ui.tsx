// Small parts that every screen uses.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Problem } from '../../protocol/state.ts'
import { announce } from '../state/store.ts'
import { clean, cleanLine } from './text.ts'

export function Badge({ tone = 'plain', children }: { tone?: string; children: ComponentChildren }) {
  return <span class={`badge badge-${tone}`}>{children}</span>
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}

/** Beside a list of which nothing is chosen. */
export function ChooseItem({ noun }: { noun: string }) {
  return (
    <Empty title={`Choose a ${noun}.`}>
      <p class="hint">
        Press <kbd>/</kbd> to filter the list, <kbd>j</kbd> and <kbd>k</kbd> to move in it.
      </p>
    </Empty>
  )
}

/** The heading of a screen that shows none: those who can't see it still hear where they are. */
export function HiddenTitle({ children }: { children: ComponentChildren }) {
  return <h1 class="visually-hidden">{children}</h1>
}

export function ProblemBox({ problem, title }: { problem: Problem; title: string }) {
  return (
    <div class="problem" role="alert">
      <strong>{title}</strong>
      {problem.code === undefined ? null : <code class="code-inline">{problem.code}</code>}
      <p class="pre">{clean(problem.message)}</p>
      {problem.fix === undefined ? null : <p class="fix">{problem.fix}</p>}
    </div>
  )
}

export function Tabs<Name extends string>(props: {
  label: string
  tabs: readonly (readonly [name: Name, label: string])[]
  chosen: Name
  onChoose: (name: Name) => void
}) {
  const { label, tabs, chosen, onChoose } = props
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const at = tabs.findIndex(([name]) => name === chosen)
    const next = tabs[(at + step + tabs.length) % tabs.length]
    if (next === undefined) return
    onChoose(next[0])
    const list = event.currentTarget as HTMLElement
    requestAnimationFrame(() => list.querySelector<HTMLElement>('[aria-selected="true"]')?.focus())
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(([name, text]) => (
        <button
          type="button"
          role="tab"
          key={name}
          class="tab"
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {text}
        </button>
      ))}
    </div>
  )
}

export function CopyButton({ text, label }: { text: () => string | Promise<string>; label: string }) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    await copyText(await text())
    setDone(true)
    setTimeout(() => setDone(false), 1_500)
  }
  return (
    <button type="button" class="button small" onClick={() => void copy()}>
      {isDone ? 'Copied' : label}
    </button>
  )
}

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    announce('Copied')
  } catch {
    announce('The browser refused to copy')
  }
}

/** Opens in a tab of its own, with the whole address to be seen before. Everything but the web is only shown. */
export function OutsideLink({ url, text }: { url: string; text?: string }) {
  const isWeb = /^https?:\/\//i.test(url) && URL.canParse(url)
  const shown = cleanLine(text ?? url)
  if (!isWeb) return <span class="mono">{shown}</span>
  const { href, protocol, host } = new URL(url)
  // `https://bank.example@evil.example/` and letters that look like others.
  const isDisguised = !url.toLowerCase().startsWith(`${protocol}//${host}`)
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" class="outside">
      {shown}
      {text === undefined || text === href ? null : <span class="outside-url"> {cleanLine(href)}</span>}
      {isDisguised ? <strong> (leads to {cleanLine(host)})</strong> : null}
    </a>
  )
}
