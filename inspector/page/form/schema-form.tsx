// A whole form for a schema: as fields or as JSON, checked while it is written.
import { useEffect, useId, useMemo, useState } from 'preact/hooks'
import { clean } from '../parts/text.ts'
import { Tabs } from '../parts/ui.tsx'
import { request } from '../state/api.ts'
import { Form, type Issue, idOf, type Path } from './context.ts'
import { Field } from './field.tsx'
import { Members } from './group-fields.tsx'
import { JsonField } from './json-field.tsx'
import { resolve, type Schema, shapeOf } from './schema.ts'

const CHECK_AFTER_MS = 150

export interface SchemaFormProps {
  readonly schema: Schema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  /** Called with whether the value fits the schema. The form can be sent in either case. */
  readonly onSubmit: (isValid: boolean) => void
  /** What stands below the fields. Text that is not JSON has no value: while there is some, nothing can be sent. */
  readonly children: (isReadable: boolean) => preact.ComponentChildren
  readonly view: 'form' | 'json'
  readonly onView: (view: 'form' | 'json') => void
  readonly label: string
}

export function SchemaForm(props: SchemaFormProps) {
  const { schema, value, onChange, onSubmit, children, view, onView, label } = props
  const id = useId().replace(/\W/g, '')
  const [issues, setIssues] = useState<readonly Issue[]>([])
  const [unreadable, setUnreadable] = useState<readonly Issue[]>([])
  const [wasSubmitted, setSubmitted] = useState(false)
  const resolved = useMemo(() => resolve(schema, schema), [schema])
  const shape = useMemo(() => shapeOf(resolved, schema), [resolved])
  useEffect(() => {
    setIssues([])
    setSubmitted(false)
  }, [schema])
  useEffect(() => {
    const timer = setTimeout(() => void check(), CHECK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [value, schema])
  const check = async (): Promise<readonly Issue[]> => {
    try {
      const answer = await request('validate', { schema, value: value ?? {} })
      setIssues(answer.issues)
      return answer.issues
    } catch {
      // A schema that can't be checked does not keep anybody from calling.
      setIssues([])
      return []
    }
  }
  const report = (path: Path, error: string | undefined) => {
    setUnreadable((before) => {
      const others = before.filter((issue) => idOf(id, issue.path) !== idOf(id, path))
      return error === undefined ? others : [...others, { path, message: error }]
    })
  }
  const focus = ({ path }: Issue) => document.getElementById(idOf(id, path))?.focus()
  const submit = async () => {
    setSubmitted(true)
    const [broken] = unreadable
    if (broken !== undefined) {
      focus(broken)
      return
    }
    const [first] = await check()
    onSubmit(first === undefined)
    // The form may be longer than the window: the first field that is wrong comes into view.
    if (first !== undefined) focus(first)
  }
  const field = { schema: resolved, path: [], label, value, isRequired: true, onChange }
  // What nobody has typed yet is not wrong yet.
  const shown = wasSubmitted ? issues : issues.filter(({ message }) => !/required|missing/i.test(message))
  return (
    <Form.Provider value={{ id, root: schema, issues: unreadable.length > 0 ? [] : shown, report, Field }}>
      <form
        class="schema-form"
        aria-label={label}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <Tabs label="How to write the arguments" tabs={VIEWS} chosen={view} onChoose={onView} />
        {wasSubmitted && unreadable.length > 0 ? (
          <IssueList id={id} issues={unreadable} title="This is not JSON." />
        ) : wasSubmitted && issues.length > 0 ? (
          <IssueList id={id} issues={issues} title="The arguments do not fit the schema." />
        ) : null}
        {view === 'json' ? (
          <JsonField field={field} rows={12} />
        ) : shape.kind === 'object' ? (
          shape.properties.length === 0 && shape.extra === undefined ? (
            <p class="hint">There is nothing to fill in.</p>
          ) : (
            <Members field={field} shape={shape} />
          )
        ) : (
          <Field {...field} />
        )}
        {children(unreadable.length === 0)}
      </form>
    </Form.Provider>
  )
}

const VIEWS = [
  ['form', 'Form'],
  ['json', 'JSON'],
] as const

function IssueList({ id, issues, title }: { id: string; issues: readonly Issue[]; title: string }) {
  return (
    <div class="issues" role="alert">
      <strong>{title}</strong>
      <ul>
        {issues.slice(0, 20).map(({ path, message }) => (
          <li key={message}>
            <button type="button" class="link" onClick={() => document.getElementById(idOf(id, path))?.focus()}>
              {clean(message)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
