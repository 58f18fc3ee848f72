// Fields with fields in them: objects, lists and variants.
import { useState } from 'preact/hooks'
import { cleanLine } from '../parts/text.ts'
import { type FieldProps, idOf } from './context.ts'
import { FieldMark, FieldNotes, RequiredMark, useForm } from './frame.tsx'
import { isSchema, nameOfVariant, resolve, type Schema, type Shape } from './schema.ts'
import { initialValue, variantFor } from './value.ts'

function Group({ field, children }: { field: FieldProps; children: preact.ComponentChildren }) {
  const { id } = useForm()
  const help = field.schema['description'] === undefined ? undefined : `${idOf(id, field.path)}-help`
  return (
    <fieldset class="group" id={idOf(id, field.path)} aria-describedby={help} tabIndex={-1}>
      <legend class="field-head">
        <span class="label">
          {cleanLine(field.label)}
          {field.isRequired ? <RequiredMark /> : null}
        </span>
      </legend>
      <FieldMark field={field} />
      <FieldNotes field={field} />
      {children}
    </fieldset>
  )
}

/** An optional part that is not sent starts closed. */
function Closed({ field }: { field: FieldProps }) {
  const { root } = useForm()
  return (
    <Group field={field}>
      <button
        type="button"
        class="button small"
        onClick={() => field.onChange(initialValue(field.schema, root) ?? (field.schema['type'] === 'array' ? [] : {}))}
      >
        Add {cleanLine(field.label)}
      </button>
    </Group>
  )
}

export function ObjectField({ field, shape }: { field: FieldProps; shape: Extract<Shape, { kind: 'object' }> }) {
  if (field.value === undefined && !field.isRequired) return <Closed field={field} />
  return (
    <Group field={field}>
      <Members field={field} shape={shape} />
    </Group>
  )
}

/** The members of an object, without a frame: that of a form itself. */
export function Members({ field, shape }: { field: FieldProps; shape: Extract<Shape, { kind: 'object' }> }) {
  const { Field } = useForm()
  const value = isSchema(field.value) ? field.value : {}
  const set = (name: string, member: unknown) => {
    const { [name]: _before, ...rest } = value
    if (member === undefined) return field.onChange(rest)
    // In its place, where it has one.
    field.onChange(Object.hasOwn(value, name) ? { ...value, [name]: member } : { ...rest, [name]: member })
  }
  const known = new Set(shape.properties.map(({ name }) => name))
  const others = Object.keys(value).filter((name) => !known.has(name))
  return (
    <>
      {shape.properties.map(({ name, schema, isRequired }) => (
        <Field
          key={name}
          schema={schema}
          path={[...field.path, name]}
          label={typeof schema['title'] === 'string' ? schema['title'] : name}
          value={value[name]}
          isRequired={isRequired}
          onChange={(member) => set(name, member)}
        />
      ))}
      {others.map((name) => (
        <Field
          key={name}
          schema={shape.extra ?? {}}
          path={[...field.path, name]}
          label={name}
          value={value[name]}
          isRequired={false}
          onChange={(member) => set(name, member)}
        />
      ))}
      {shape.extra === undefined ? null : (
        <AddMember field={field} onAdd={(name) => set(name, startOf(shape.extra))} taken={value} />
      )}
    </>
  )
}

function startOf(schema: Schema | undefined): unknown {
  const type = schema?.['type']
  if (type === 'number' || type === 'integer') return 0
  if (type === 'boolean') return false
  if (type === 'object') return {}
  return type === 'array' ? [] : ''
}

function AddMember({ field, onAdd, taken }: { field: FieldProps; onAdd: (name: string) => void; taken: object }) {
  const { id } = useForm()
  const [name, setName] = useState('')
  const own = `${idOf(id, field.path)}-new`
  const canAdd = name !== '' && !Object.hasOwn(taken, name)
  const add = () => {
    if (!canAdd) return
    onAdd(name)
    setName('')
  }
  return (
    <div class="add-row">
      <label for={own} class="visually-hidden">
        Name of a new member of {cleanLine(field.label)}
      </label>
      <input
        id={own}
        class="input"
        placeholder="Name of a new member"
        autocomplete="off"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          add()
        }}
      />
      <button type="button" class="button small" disabled={!canAdd} onClick={add}>
        Add
      </button>
    </div>
  )
}

export function ArrayField({ field, shape }: { field: FieldProps; shape: Extract<Shape, { kind: 'array' }> }) {
  const { Field, root } = useForm()
  if (field.value === undefined && !field.isRequired) return <Closed field={field} />
  const items = Array.isArray(field.value) ? (field.value as unknown[]) : []
  const label = cleanLine(field.label)
  const schemaAt = (index: number) => shape.fixed[index] ?? shape.items ?? {}
  const replace = (index: number, ...by: unknown[]) =>
    field.onChange([...items.slice(0, index), ...by, ...items.slice(index + 1)])
  const move = (from: number, to: number) => {
    const moved = items.filter((_item, index) => index !== from)
    field.onChange([...moved.slice(0, to), items[from], ...moved.slice(to)])
  }
  const add = () => {
    const schema = schemaAt(items.length)
    field.onChange([...items, initialValue(schema, root) ?? startOf(resolve(schema, root))])
  }
  return (
    <Group field={field}>
      <ol class="rows">
        {items.map((item, index) => (
          <li key={index} class="row">
            <Field
              schema={schemaAt(index)}
              path={[...field.path, index]}
              label={`${label} ${index + 1}`}
              value={item}
              isRequired
              isRow
              onChange={(value) => replace(index, value === undefined ? null : value)}
            />
            {index < shape.fixed.length ? null : (
              <span class="row-tools">
                <IconButton
                  label={`Move ${label} ${index + 1} up`}
                  sign="↑"
                  isOff={index <= shape.fixed.length}
                  onClick={() => move(index, index - 1)}
                />
                <IconButton
                  label={`Move ${label} ${index + 1} down`}
                  sign="↓"
                  isOff={index === items.length - 1}
                  onClick={() => move(index, index + 1)}
                />
                <IconButton label={`Remove ${label} ${index + 1}`} sign="×" onClick={() => replace(index)} />
              </span>
            )}
          </li>
        ))}
      </ol>
      {shape.items === undefined && items.length >= shape.fixed.length ? null : (
        <button type="button" class="button small" onClick={add}>
          Add to {label}
        </button>
      )}
    </Group>
  )
}

function IconButton(props: { label: string; sign: string; isOff?: boolean; onClick: () => void }) {
  return (
    <button type="button" class="icon" aria-label={props.label} disabled={props.isOff} onClick={props.onClick}>
      {props.sign}
    </button>
  )
}

export function VariantField({ field, variants }: { field: FieldProps; variants: readonly Schema[] }) {
  const { Field, root, id } = useForm()
  const fitting = variantFor(field.value, variants, root)
  const [chosen, setChosen] = useState(fitting)
  const at =
    field.value === undefined
      ? chosen
      : fitting >= 0 && variantFor(field.value, [variants[chosen] ?? {}], root) < 0
        ? fitting
        : chosen
  const own = `${idOf(id, field.path)}-variant`
  const choose = (index: number) => {
    setChosen(index)
    const variant = variants[index]
    field.onChange(variant === undefined ? undefined : variant['type'] === 'null' ? null : initialValue(variant, root))
  }
  const variant = variants[at]
  return (
    <div class="variant">
      <div class="field">
        <div class="field-head">
          <label class="label" for={own}>
            {cleanLine(field.label)}
            {field.isRequired ? <RequiredMark /> : null}
          </label>
          <FieldMark field={field} />
        </div>
        <select
          id={own}
          class="input"
          value={String(at)}
          onChange={(event) => choose(Number(event.currentTarget.value))}
        >
          <option value="-1">{field.isRequired ? 'Choose…' : 'not sent'}</option>
          {variants.map((one, index) => (
            <option key={index} value={String(index)}>
              {cleanLine(nameOfVariant(one))}
            </option>
          ))}
        </select>
        <FieldNotes field={field} />
      </div>
      {variant === undefined || variant['type'] === 'null' ? null : (
        <Field
          {...field}
          schema={{ ...variant, title: undefined, description: undefined, default: undefined }}
          label={`${field.label}: ${nameOfVariant(variant)}`}
          isRequired
        />
      )}
    </div>
  )
}
