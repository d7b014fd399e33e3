/**
 * Background art of the public pages: quiet bars, a mask in the stylesheet, so they take the theme's color and need no script.
 * No colors of states and no words: here nobody is signed in, and either could be taken for a real incident.
 */
export function UptimeArt() {
  return (
    <div className="uptime-art" aria-hidden="true">
      <span className="uptime-quiet bg-m-quiet" />
    </div>
  )
}
