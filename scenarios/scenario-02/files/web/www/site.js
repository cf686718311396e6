const form = document.querySelector('#letter')
const say = (text) => { document.querySelector('#message').textContent = text }
let preview

const post = async (path, data) => {
  const answer = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(data) })
  const body = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new Error(body.error?.message ?? 'something went wrong')
  return body
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  try {
    preview = await post('/api/previews', Object.fromEntries(new FormData(form)))
    document.querySelector('#summary').textContent = `${preview.pages} page(s), ${(preview.price_cents / 100).toFixed(2)} EUR`
    document.querySelector('#preview').hidden = false
    say('')
  } catch (error) { say(error.message) }
})

document.querySelector('#order').addEventListener('click', async () => {
  try {
    const letter = await post('/api/letters', { preview: preview.preview, client_reference: `web-${crypto.randomUUID()}` })
    say(`Your letter is on its way: ${letter.letter}`)
  } catch (error) { say(error.message) }
})
