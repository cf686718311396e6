const words = { ordered: 'has no label yet', labelled: 'waits for a van', dispatched: 'is on its way' }
document.querySelector('#track').addEventListener('submit', async (event) => {
  event.preventDefault()
  const number = new FormData(event.target).get('number')
  const answer = await fetch(`/api/shipments/${encodeURIComponent(number)}`)
  const shipment = answer.ok ? await answer.json() : undefined
  document.querySelector('#message').textContent = shipment ? `${number} ${words[shipment.status]}` : 'We do not know this number.'
})
