// URI templates (RFC 6570), as far as a person fills them in: the variables, and the URI for their values.

const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g

const PLAIN = { first: '', separator: ',', isNamed: false, keeps: false }

const OPERATORS: Readonly<Record<string, { first: string; separator: string; isNamed: boolean; keeps: boolean }>> = {
  '': PLAIN,
  '+': { first: '', separator: ',', isNamed: false, keeps: true },
  '#': { first: '#', separator: ',', isNamed: false, keeps: true },
  '.': { first: '.', separator: '.', isNamed: false, keeps: false },
  '/': { first: '/', separator: '/', isNamed: false, keeps: false },
  ';': { first: ';', separator: ';', isNamed: true, keeps: false },
  '?': { first: '?', separator: '&', isNamed: true, keeps: false },
  '&': { first: '&', separator: '&', isNamed: true, keeps: false },
}

function namesIn(list: string): string[] {
  return list.split(',').map((name) => name.replace(/(?:\*|:\d+)$/, ''))
}

/** Each once, in order. */
export function variablesOf(template: string): string[] {
  return [...new Set([...template.matchAll(EXPRESSION)].flatMap(([, , list = '']) => namesIn(list)))]
}

/** Variables without a value are left out, as the RFC says. */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(EXPRESSION, (_whole, operator: string, list: string) => {
    const { first, separator, isNamed, keeps } = OPERATORS[operator] ?? PLAIN
    const parts = namesIn(list).flatMap((name) => {
      const value = values[name]
      if (value === undefined || value === '') return []
      const encoded = keeps ? encodeURI(value) : encodeURIComponent(value)
      return isNamed ? [`${name}=${encoded}`] : [encoded]
    })
    return parts.length === 0 ? '' : first + parts.join(separator)
  })
}
