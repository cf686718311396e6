// A number with its name and what it means.

export const Figure = ({ name, value, text }: { readonly name: string; readonly value: string; readonly text: string }) => (
  <div class="figure">
    <dt>{name}</dt>
    <dd>
      <span class="figure-value">{value}</span>
      <span class="muted small">{text}</span>
    </dd>
  </div>
)
