# Standard input: the service's gunicorn settings. They are values, and no program.
code=$(sed 's/#.*//' | grep -cwE 'def|class|import|lambda|if|else|for|while|exec|eval|open|__[a-z]+__')
[ "$code" = 0 ] || { echo "the settings of the service hold code"; exit 1; }
echo "the settings of the service are values"
