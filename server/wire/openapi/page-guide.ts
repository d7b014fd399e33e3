import { markup, type Html } from '../pages/markup.ts'
import { errorRows } from './errors.ts'
import { operatorNotes } from './list-parameters.ts'
import { code, lines, renderMarkup, table } from './page-html.ts'

/** Section about requests and responses. */
export function callsSection(url: string): Html {
  return markup`<section aria-labelledby="calls">
    <h2 id="calls">Requests and answers</h2>
    ${table(
      'Addresses',
      ['Address', 'What', 'Answer'],
      [
        [code('/api/method/NAME'), 'calls a method', code('{"message": …}')],
        [code('GET /api/resource/DOCTYPE'), 'lists documents', code('{"data": […]}')],
        [code('POST /api/resource/DOCTYPE'), 'makes one', code('{"data": {…}}')],
        [code('GET /api/resource/DOCTYPE/NAME'), 'gives one, without its empty fields', code('{"data": {…}}')],
        [code('PUT /api/resource/DOCTYPE/NAME'), 'changes the fields that are sent', code('{"data": {…}}')],
        [
          code('DELETE /api/resource/DOCTYPE/NAME'),
          'deletes it, or starts the job that does',
          code('202 {"data": "ok", "message": "ok"}'),
        ],
        [
          code('POST /api/resource/DOCTYPE/NAME'),
          'runs the action named by run_method',
          code('{"docs": [{…}], "message": …}'),
        ],
        [code('POST /'), 'calls the method named by cmd', 'as the method'],
      ],
    )}
    <p>
      Every address below <code>/api</code> also works below <code>/api/v1</code>. Names in addresses are
      percent-encoded (<code>/api/resource/Organization%20Member</code>).
    </p>
    <p>
      Parameters come from a JSON body, which replaces all others, or from query and form (urlencoded or multipart)
      together. Lists and objects can be native JSON or JSON text: <code>{"filters": {"status": "Live"}}</code> in a
      body and <code>filters={"status":"Live"}</code> in a query are the same. Yes and no are true, false, 1 or 0.
      Unknown parameters are ignored. Maximum body size: 25 MiB with a file, 4 MiB for JSON, 1 MiB for a form, and 64 KiB for unauthenticated requests.
    </p>
    <p>
      In answers yes and no are 1 and 0, points in time are UTC as <code>YYYY-MM-DD HH:MM:SS.ffffff</code>, and secrets
      are a run of <code>*</code>, which changes nothing when it is sent back. A method that returns null leaves
      <code>message</code> out. Any response can carry notices for users in <code>_server_messages</code>: JSON text of a
      list of JSON texts.
    </p>
    <p>
      Send <code>modified</code> with a change to get an error if somebody else changed the document in the meantime. Work that takes longer
      answers at once with the name of a <code>job</code>: watch that document, or read its log with
      <code>get_job_logs</code>.
    </p>
    <p>The whole description for programs is <a href="${url}/api/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
  </section>`
}

/** Section with the error table. */
export function errorsSection(): Html {
  return markup`<section aria-labelledby="errors">
    <h2 id="errors">Errors</h2>
    <p>
      Every failed call has this body; a client whose <code>Accept</code> begins with <code>text</code> gets a page in
      its place.
    </p>
    ${lines(
      'example',
      `{
  "exc_type": "DataError",
  "exception": "frappe.exceptions.DataError: Field not permitted in query: color",
  "code": "invalid",
  "_server_messages": "[\\"{\\\\\\"message\\\\\\": \\\\\\"Field not permitted in query: color\\\\\\", …}\\"]"
}`,
    )}
    <p>
      <code>code</code> is one of a closed list. <code>field</code>, <code>next_action</code> and
      <code>retry_after</code> are there where they help; refusals of documents have <code>_error_message</code> in
      place of <code>_server_messages</code>.
    </p>
    ${table(
      'Statuses of errors',
      ['Status', 'code', 'exc_type', 'When'],
      errorRows().map(({ status, codes, classes, when }) => [
        status,
        codes.map((one, at) => markup`${at === 0 ? '' : ', '}${code(one)}`),
        classes.map((one, at) => markup`${at === 0 ? '' : ', '}${code(one)}`),
        renderMarkup(when),
      ]),
    )}
  </section>`
}

/** Section with the grammar of fields, filters, sorting and grouping. */
export function listsSection(): Html {
  return markup`<section aria-labelledby="lists">
    <h2 id="lists">The language of lists</h2>
    <p>
      <code>GET /api/resource/DOCTYPE</code>, <code>frappe.client.get_list</code>, <code>get_count</code> and
      <code>get_value</code>, the reports and <code>search_link</code> all speak it. Upper-case words are made of
      others, words in quotes stand for themselves, <code>?</code> means at most once and <code>*</code> any number of
      times.
    </p>
    ${lines(
      'example',
      `fields    = [ ITEM, … ]                          at most 100; without it only name
ITEM      = FIELD ( "as" ALIAS )?
          | AGGREGATE ( "as" ALIAS )?
          | "*"                                  all fields the caller can read
          | { "COUNT" | "SUM" | "AVG" | "MIN" | "MAX" : "FIELD", "as": "ALIAS" }
FIELD     = NAME | LINK "." NAME | "\`tab" DOCTYPE "\`.\`" NAME "\`"
AGGREGATE = "count(*)" | ( "count" | "sum" | "avg" | "min" | "max" ) "(" FIELD ")"
ALIAS     = a letter or _, then letters, digits and _, at most 63

filters   = [ CONDITION, … ] | CONDITION | OBJECT | [ OBJECT, … ]     all must hold; at most 50
or_filters                                       the same; at least one must hold, besides filters
          | [ [ CONDITION, … ], … ]              at least one of each group
CONDITION = [ FIELD, OPERATOR, VALUE ] | [ DOCTYPE, FIELD, OPERATOR, VALUE ]
OBJECT    = { FIELD: VALUE, FIELD: [ OPERATOR, VALUE ], … }

order_by  = FIELD|ALIAS ( "asc" | "desc" )? ( "," … )*                without it the newest first
group_by  = FIELD ( "," FIELD )*                 then fields holds these and aggregates
limit     = number                               20 without it; 0 means 500, the most; 4 MB in all
limit_start = number                             rows to leave out at the beginning
as_dict   = yes | no                             no: each row a list of values`,
    )}
    ${table(
      'Operators',
      ['Operator', 'Value', 'Meaning', 'Example'],
      Object.entries(operatorNotes).map(([operator, { value, note, example }]) => [
        code(operator),
        value,
        note,
        code(example),
      ]),
    )}
    <p>
      <code>link.field</code> reads a field of the document a link field names, if the caller can read that document.
      Operators are the same in upper and lower case. A field that does not exist, that the caller cannot read or that
      holds a secret is refused in filters, order and groups alike (417, <code>Field not permitted in query</code>);
      among <code>fields</code> those the caller cannot read are omitted. Nothing else is part of the language: no
      functions, no sub-queries, no SQL.
    </p>
    <h3>Examples</h3>
    ${table(
      'Examples of lists',
      ['Wanted', 'Parameters of /api/resource/Site'],
      [
        [
          'The second page of 50, by name',
          code('fields=["name","domain"]&order_by=domain asc&limit=50&limit_start=50'),
        ],
        [
          'Sites of production servers',
          code('filters=[["server.server_category","=","production"]]&fields=["domain","server.hostname as host"]'),
        ],
        ['How many in each state', code('fields=["status","count(name) as n"]&group_by=status&order_by=n desc')],
        [
          'Made in the last week, live or suspended',
          code('filters={"creation":["timespan","last 7 days"],"status":["in",["Live","Suspended"]]}'),
        ],
        ['Name or title with "shop" in it', code('or_filters=[["domain","like","%shop%"],["title","like","%shop%"]]')],
      ],
    )}
    <p>In an address these are percent-encoded; <code>curl -G --data-urlencode</code> does it for you.</p>
  </section>`
}

/** Section about sockets. */
export function socketsSection(url: string): Html {
  return markup`<section aria-labelledby="sockets">
    <h2 id="sockets">Sockets</h2>
    <p>
      socket.io 4 at <code>${url}/socket.io/</code>, namespace <code>/${new URL(url).hostname}</code>, with the cookie
      <code>sid</code> or the header <code>Authorization</code>. An <code>Origin</code>, when sent, must be
      <code>${url}</code>. Without a session the connection is refused. A join that is not allowed is silently not made.
    </p>
    ${table(
      'What a client sends',
      ['Event', 'Arguments', 'Effect'],
      [
        [
          code('doctype_subscribe'),
          'doctype',
          'list_update of that doctype: of documents in the chosen organization, and of the caller’s own outside of it',
        ],
        [code('doc_subscribe'), 'doctype, name', 'doc_update of that document, while the caller can read it'],
        [code('doc_open'), 'doctype, name', 'counts the caller among its viewers; doc_viewers of it'],
        [code('task_subscribe, progress_subscribe'), 'id', 'progress of a task of the own organization'],
        [code('ping'), '', 'pong'],
      ],
    )}
    <p>
      They are undone by <code>doctype_unsubscribe</code>, <code>doc_unsubscribe</code>, <code>doc_close</code> and
      <code>task_unsubscribe</code>. A connection has 200 subscriptions at the most, and a message 64 KiB.
    </p>
    ${table(
      'What the server sends',
      ['Event', 'Content', 'When'],
      [
        [code('doc_update'), code('{"doctype","name","modified"}'), 'after each change of a subscribed document'],
        [code('list_update'), code('{"doctype","name","user"}'), 'after a document was made, changed or deleted'],
        [code('doc_viewers'), code('{"doctype","docname","users":[…]}'), 'when others look at an opened document'],
        [code('progress'), code('{"percent","title","description"}'), 'while something takes its time'],
        [code('msgprint'), 'text or {"message","title","indicator"}', 'a notice to the user'],
      ],
    )}
    <p>The events carry no content: read the document again.</p>
  </section>`
}
