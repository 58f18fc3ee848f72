// A dialog over the page, which keeps the keyboard inside and gives it back.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

export function Dialog(props: { label: string; onClose: () => void; class?: string; children: ComponentChildren }) {
  const { label, onClose, children } = props
  const box = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    box.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc does the same.
    <dialog
      ref={box}
      class={`dialog ${props.class ?? ''}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === box.current) onClose()
      }}
    >
      {children}
    </dialog>
  )
}
