import { markup, type Html } from '../pages/markup.ts'
import { tokenScopes } from '#shared/rules/token-scopes.ts'
import { lines, table, code } from './page-html.ts'

/** "List your sites with curl in two minutes": commands that work as shown, one block after the other. */
export function startSection(url: string): Html {
  return markup`<section aria-labelledby="start">
    <h2 id="start">List your sites in two minutes</h2>
    <p>
      You need a terminal with <code>curl</code> and an account of this installation. Copy the blocks one after the
      other.
    </p>
    <h3>1. Say who you are</h3>
    <p>
      Put your own email address into the second line. The last line waits: type your password and press Enter; it is
      not shown and does not get into the history of your shell.
    </p>
    ${lines(
      'shell',
      `EASYDASH=${url}
EMAIL=you@example.com
read -rs PASSWORD`,
    )}
    <h3>2. Log in and list</h3>
    <p>
      The first command keeps the session in the file <code>easydash.cookies</code>, the second one asks for your sites.
    </p>
    ${lines(
      'shell',
      `printf %s "$PASSWORD" | (umask 077; curl -sS -c easydash.cookies "$EASYDASH/api/method/login" \\
  --data-urlencode "usr=$EMAIL" --data-urlencode pwd@-)
curl -sS -b easydash.cookies -G "$EASYDASH/api/resource/Site" \\
  --data-urlencode 'fields=["name","domain","status"]'`,
    )}
    <p>The answers are <code>{"message":"Logged In", …}</code> and then your sites:</p>
    ${lines('example', '{"data":[{"name":"k3v9x0a1bc","domain":"blog","status":"Live"}]}')}
    <p>
      <code>Invalid login credentials</code>: begin again with block 1. <code>{"data":[]}</code>: there is no site yet,
      or none that you can see. A response with <code>verification</code> and <code>tmp_id</code>: your account asks for
      two-factor authentication; send <code>tmp_id</code> and your code as <code>otp</code> to the same address.
    </p>
    <h3>3. A token for programs</h3>
    <p>
      Programs use an API token instead of your password: it works in one organization, can do no more than you and its
      scopes allow, and can be revoked at any time. The first command fetches the CSRF token of your session, the second
      one makes the API token. Its secret is shown this once. The same is done on the screen: your profile, Settings, API
      tokens.
    </p>
    ${lines(
      'shell',
      `CSRF=$(curl -sS -b easydash.cookies "$EASYDASH/api/method/easydash.api.session.boot" |
  sed 's/.*"csrf_token":"\\([^"]*\\)".*/\\1/')
TOKEN=$(curl -sS -b easydash.cookies "$EASYDASH/api/method/easydash.api.tokens.create" \\
  -H "X-Frappe-CSRF-Token: $CSRF" \\
  --data-urlencode 'title=My first token' --data-urlencode 'scopes=["sites:read"]' |
  sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
echo "$TOKEN"`,
    )}
    <p>With it no cookie and no CSRF token is needed. The last two lines log out and delete the cookies:</p>
    ${lines(
      'shell',
      `curl -sS -G "$EASYDASH/api/resource/Site" -H "Authorization: token $TOKEN" \\
  --data-urlencode 'fields=["name","domain","status"]' --data-urlencode 'filters={"status":"Live"}'
curl -sS -b easydash.cookies -X POST "$EASYDASH/api/method/logout" -H "X-Frappe-CSRF-Token: $CSRF"
rm easydash.cookies`,
    )}
    <p>
      More than ten minutes after the login, making a token asks for your password again: call
      <a href="#easydash.api.account.confirm_password"><code>easydash.api.account.confirm_password</code></a
      >, or begin again with block 2. A list has 20 rows unless <code>limit</code> says otherwise;
      <a href="#lists">the language of lists</a> has the rest.
    </p>
  </section>`
}

/** Section about authentication. */
export function authenticationSection(url: string): Html {
  return markup`<section aria-labelledby="authentication">
    <h2 id="authentication">Authentication</h2>
    ${table(
      'Ways to prove who calls',
      ['Way', 'Send', 'Note'],
      [
        [
          'API token',
          code('Authorization: token KEY:SECRET'),
          'Also as Basic (key as user, secret as password) or as Bearer KEY:SECRET. Cookies are ignored, and no CSRF token is required.',
        ],
        [
          'Session',
          markup`cookie <code>sid</code> of <a href="#login"><code>login</code></a>`,
          markup`Every POST, PUT and DELETE also needs the header <code>X-Frappe-CSRF-Token</code> (or the parameter
            <code>csrf_token</code>) with the token that
            <a href="#easydash.api.session.boot"><code>easydash.api.session.boot</code></a> gives. A session ends after
            24 hours without use, and after 30 days at the latest.`,
        ],
        ['Guest', 'no credentials', 'Only for methods open to everyone; they are marked below.'],
      ],
    )}
    <p>
      Wrong credentials in <code>Authorization</code> answer 401 even for methods open to everyone. When a request carries an
      <code>Origin</code>, it must be <code>${url}</code>. Other origins get no CORS headers.
    </p>
    <p>
      The organization is the one that is chosen in the session (<a
        href="#easydash.easydash.doctype.user_meta.user_meta.switch_organization"
        ><code>switch_organization</code></a
      >), or the one the token was made for. Documents of another organization get the same response as documents that do
      not exist.
    </p>
    ${table(
      'Scopes of API tokens',
      ['Scope', 'What it allows, as far as the role of the token does'],
      Object.entries(tokenScopes).map(([scope, text]) => [code(scope), text]),
    )}
    <p>At most 600 calls a minute are answered for each user; further ones get 429 with <code>Retry-After</code>.</p>
  </section>`
}
