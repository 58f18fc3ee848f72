// One flat object of arguments out of parameters and body: names that are unique, and the schema of the whole.
import { type Members, setMember } from '../document/members.ts'
import type { BodyPlan, ParameterPlan } from '../request/plan.ts'
import { closeOver } from '../schemas/closure.ts'
import type { Converted, SchemaConverter } from '../schemas/converter.ts'
import { shortName } from '../text/short-name.ts'
import { TakenNames } from '../text/taken-names.ts'
import type { FoundBody } from './body.ts'
import type { FoundParameter } from './parameters.ts'

export interface ArgumentsPlan {
  /** The JSON Schema of the arguments. */
  readonly schema: Members
  readonly parameters: readonly ParameterPlan[]
  readonly body: BodyPlan | undefined
  readonly notes: ReadonlySet<string>
}

/** What the model APIs take as a name of an argument. */
const ARGUMENT = /^[A-Za-z0-9_.-]{1,64}$/
const OTHER = /[^A-Za-z0-9_.-]+/g

class Names {
  readonly #taken = new TakenNames()

  take(wanted: string): string {
    return this.#taken.take(ARGUMENT.test(wanted) ? wanted : shortName(wanted, 60, OTHER) || 'argument')
  }
}

/** So many names may stand in what a body that may be left out says of which of its arguments need which others. */
const MAX_DEPENDENT = 10_000

/** Throws `MappingProblem` where a definition cannot be converted. */
export function planArguments(
  converter: SchemaConverter,
  found: readonly FoundParameter[],
  body: FoundBody | undefined,
): ArgumentsPlan {
  const names = new Names()
  const properties: Members = {}
  const required: string[] = []
  const parts: Converted[] = []
  const add = (name: string, schema: Converted, isRequired: boolean) => {
    setMember(properties, name, schema.schema)
    parts.push(schema)
    if (isRequired) required.push(name)
  }
  const bodyNames = new Set(body?.members?.keys() ?? (body === undefined ? [] : ['body']))
  const uses = countNames(found)
  // The body keeps its names; its arguments stand after the parameters, which say what it is about.
  const bodyPlan = body === undefined ? undefined : nameBody(body, names)
  const parameters = found.map((parameter): ParameterPlan => {
    const { isRequired, schema, ...style } = parameter
    if (style.fixed !== undefined) return { ...style, argument: style.name }
    const isShared = bodyNames.has(style.name) || (uses.get(style.name) ?? 0) > 1
    const argument = names.take(isShared ? `${style.name}_in_${style.in}` : style.name)
    add(argument, schema, isRequired)
    return { ...style, argument }
  })
  const dependent = body === undefined || bodyPlan === undefined ? {} : addBody(body, bodyPlan, add)
  if (body?.additional !== undefined) parts.push(body.additional)
  const { definitions, notes } = closeOver(converter, 'input', parts)
  const schema: Members = {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    ...(Object.keys(dependent).length > 0 && { dependentRequired: dependent }),
    additionalProperties: body?.additional?.schema ?? false,
    ...(definitions !== undefined && { $defs: definitions }),
  }
  return { schema, parameters, body: bodyPlan, notes }
}

function countNames(parameters: readonly FoundParameter[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { name, fixed } of parameters) if (fixed === undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function nameBody(body: FoundBody, names: Names): BodyPlan {
  const { format, isRequired, members } = body
  if (members === undefined) return { format, isRequired, argument: names.take('body'), takesOthers: false }
  const byArgument = new Map([...members.keys()].map((property) => [names.take(property), property]))
  return { format, isRequired, members: byArgument, takesOthers: body.additional !== undefined }
}

/** Adds the arguments of the body; returns which of them need which others, where the body as a whole may be left out. */
function addBody(
  { members, whole, isRequired, requiredMembers, dependentRequired = {} }: FoundBody,
  plan: BodyPlan,
  add: (name: string, schema: Converted, isRequired: boolean) => void,
): Members {
  if (whole !== undefined && plan.argument !== undefined) add(plan.argument, whole, isRequired)
  if (members === undefined || plan.members === undefined) return {}
  const argumentOf = new Map([...plan.members].map(([argument, property]) => [property, argument]))
  const required = new Set(requiredMembers)
  const needed = requiredMembers.flatMap((property) => argumentOf.get(property) ?? [])
  // Beyond that, the API says what is missing.
  const isSaid = !isRequired && needed.length * plan.members.size <= MAX_DEPENDENT
  const dependent: Members = {}
  for (const [argument, property] of plan.members) {
    add(argument, members.get(property) as Converted, isRequired && required.has(property))
    const others = isSaid ? needed.filter((name) => name !== argument) : []
    const given = dependentRequired[property]
    const more = Array.isArray(given) ? given.flatMap((name) => argumentOf.get(name) ?? []) : []
    const all = [...new Set([...others, ...more])]
    if (all.length > 0) setMember(dependent, argument, all)
  }
  return dependent
}
