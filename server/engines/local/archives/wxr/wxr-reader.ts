import { StringDecoder } from 'node:string_decoder'
import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import { XmlError, XmlReader } from '#server/platform/xml-reader.ts'
import { msg } from '#shared/localized-message.ts'

/*
 * WXR, WordPress' export of its content: RSS 2.0 whose channel has authors, categories, tags, other terms and then items (posts of
 * all types) with their terms, data and comments. Facts from `wp-admin/includes/export.php` of WordPress
 * (https://github.com/WordPress/WordPress/blob/master/wp-admin/includes/export.php).
 */

/** An element with what is in it. */
export interface WxrNode {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  text: string
  readonly children: WxrNode[]
}

/** Characters of one item. */
const maxItemChars = 16_777_216
/** Elements of one item. */
const maxItemNodes = 200_000

/** Text of the first child of a name; '' without one. */
export function textOf(node: WxrNode, name: string): string {
  return node.children.find((child) => child.name === name)?.text ?? ''
}

/** The children of the channel one after the other. Throws FileRefusal for anything but a whole WXR file. */
export async function* readWxr(content: AsyncIterable<Buffer>): AsyncGenerator<WxrNode, void, undefined> {
  const done: WxrNode[] = []
  const open: WxrNode[] = []
  let [chars, nodes, hasVersion] = [0, 0, false]
  const reader = new XmlReader({
    open(name, attributes) {
      const expected = ['rss', 'channel'][open.length]
      if (expected !== undefined && name !== expected) throw noWxr()
      nodes += 1
      if (nodes > maxItemNodes) throw tooLarge()
      const node = { name, attributes, text: '', children: [] }
      if (open.length > 2) open.at(-1)?.children.push(node)
      open.push(node)
    },
    text(piece) {
      // What is in the channel is collected; the channel itself is not.
      if (open.length < 3) return
      chars += piece.length
      if (chars > maxItemChars) throw tooLarge()
      const node = open.at(-1)
      if (node !== undefined) node.text += piece
    },
    close() {
      const node = open.pop()
      if (node === undefined || open.length !== 2) return
      hasVersion ||= node.name === 'wp:wxr_version'
      done.push(node)
      chars = 0
      nodes = 0
    },
  })
  const decoder = new StringDecoder('utf8')
  try {
    for await (const chunk of content) {
      reader.push(decoder.write(chunk))
      yield* done.splice(0)
    }
    reader.push(decoder.end())
    reader.end()
  } catch (error) {
    throw error instanceof XmlError ? refusalOf(error) : error
  }
  yield* done.splice(0)
  if (!hasVersion) throw noWxr()
}

const nextAction = msg`Export the content again: in WordPress under Tools, Export, All content.`

function refusalOf({ kind }: XmlError): FileRefusal {
  const message = {
    not_well_formed: msg`This WordPress export is no valid XML.`,
    cut_off: msg`This WordPress export is cut off.`,
    document_type: msg`This WordPress export has a document type, which WordPress does not write.`,
    too_deep: msg`This WordPress export has elements in too many others.`,
  }[kind]
  return new FileRefusal('invalid', message, nextAction)
}

function noWxr(): FileRefusal {
  return new FileRefusal('invalid', msg`This is no WordPress export.`, nextAction)
}

function tooLarge(): FileRefusal {
  return new FileRefusal('invalid', msg`This WordPress export has an entry of more than 16 MB.`, nextAction)
}
