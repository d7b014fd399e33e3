import { XmlError, XmlReader } from '#server/platform/xml-reader.ts'

/** A value of an answer: a text, a list, or a structure by field. */
export type Ec2Value = string | Ec2Value[] | { [field: string]: Ec2Value }

interface OpenElement {
  text: string
  readonly children: (readonly [name: string, value: Ec2Value])[]
}

/**
 * The content of an EC2 answer's root element. The protocol has no attributes and writes lists as elements named `item`
 * (https://smithy.io/2.0/aws/protocols/aws-ec2-query-protocol.html). Null for what isn't XML.
 */
export function readEc2Xml(xml: string): Ec2Value | null {
  const root: OpenElement = { text: '', children: [] }
  const stack = [root]
  const reader = new XmlReader({
    open: () => void stack.push({ text: '', children: [] }),
    text: (piece) => {
      const element = stack.at(-1)
      if (element) element.text += piece
    },
    close: (name) => {
      const element = stack.pop()
      if (element) stack.at(-1)?.children.push([name, valueOf(element)])
    },
  })
  try {
    reader.push(xml)
    reader.end()
  } catch (error) {
    if (error instanceof XmlError) return null
    throw error
  }
  return root.children[0]?.[1] ?? null
}

function valueOf({ text, children }: OpenElement): Ec2Value {
  if (children.length === 0) return text.trim()
  if (children.every(([name]) => name === 'item')) return children.map(([, value]) => value)
  return Object.fromEntries(children)
}
