# Standard input: the service's gunicorn settings. They are values, and no program.
code=$(sed 's/#.*//' | grep -cE '^[[:space:]]*(def|class|import|from|if|for|while|with|try|exec)\b|\b(lambda|if .* else)\b|__[a-z]+__|\b(eval|exec|open)\(')
[ "$code" = 0 ] || { echo "the settings of the service hold code"; exit 1; }
echo "the settings of the service are values"
