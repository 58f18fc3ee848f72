// Light or dark: that of the system, unless the user chose.
import { signal } from '@preact/signals'

export const theme = signal<'system' | 'light' | 'dark'>('system')

const NEXT = { system: 'light', light: 'dark', dark: 'system' } as const

export function nextTheme(): void {
  theme.value = NEXT[theme.value]
}

export function isDark(): boolean {
  return theme.value === 'dark' || (theme.value === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
}
