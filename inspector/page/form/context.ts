// What every field of one form shares.
import { createContext, type JSX } from 'preact'
import type { Schema } from './schema.ts'

export type Path = readonly (string | number)[]

export interface Issue {
  readonly path: Path
  readonly message: string
}

export interface FieldProps {
  readonly schema: Schema
  readonly path: Path
  readonly label: string
  readonly value: unknown
  readonly isRequired: boolean
  /** `undefined` unsets the field. */
  readonly onChange: (value: unknown) => void
  /** A row of a list has no label of its own. */
  readonly isRow?: boolean
}

export interface FormContext {
  readonly id: string
  readonly root: Schema
  readonly issues: readonly Issue[]
  /** A field that is written as JSON says what is wrong with its text, and `undefined` once it can be read. */
  readonly report: (path: Path, error: string | undefined) => void
  /** The field of any schema. Here, so that groups can have fields without importing them. */
  readonly Field: (props: FieldProps) => JSX.Element
}

export const Form = createContext<FormContext | undefined>(undefined)

export function idOf(form: string, path: Path): string {
  const parts = path.map((part) => String(part).replace(/\W/g, (character) => `_${character.charCodeAt(0)}_`))
  return [form, ...parts].join('-')
}

export function issuesAt(issues: readonly Issue[], path: Path): readonly Issue[] {
  const key = JSON.stringify(path)
  return issues.filter((issue) => JSON.stringify(issue.path) === key)
}
